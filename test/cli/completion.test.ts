import { execFile, spawnSync } from 'node:child_process';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { endpointNames } from '../../src/contract/endpoints.js';
import { describe, expect, test } from 'vitest';
import { commandTable } from '../../src/cli/command-table.js';
import { corridor } from './corridor.js';

/** Returns the words that a shell offers for the end of a command line. */
async function wordsFor(...typed: readonly string[]): Promise<readonly string[]> {
  const { output } = await corridor(['completion', 'words', '--', ...typed]);
  return output
    .split('\n')
    .slice(0, -1)
    .map((line) => line.split('\t', 1).join());
}

describe('completion', () => {
  test('offers every command of the help', async () => {
    const { output } = await corridor(['--help']);
    const commands = [...output.matchAll(/^ {2}([a-z]+) {2}/gm)].map(([, name]) => name);

    expect(commands.length).toBeGreaterThan(5);
    expect(await wordsFor('')).toEqual([...commands, '--help', '--version']);
  });

  test.concurrent.each(Object.keys(commandTable))('offers every option of the help of %s', async (command) => {
    const { output } = await corridor([command, '--help']);
    const options = [...output.matchAll(/^ {2}(--[a-z-]+)/gm)].map(([, name]) => name);

    expect(await wordsFor(command, '--')).toEqual(options.length === 0 ? ['--help'] : options);
  });

  test.concurrent('offers the calls', async () => {
    expect(await wordsFor('call', '')).toEqual(expect.arrayContaining([...endpointNames, 'payments.find']));
    expect(await wordsFor('call', '--json', 'documents.del')).toEqual(['documents.delete']);
  });

  test.concurrent.each([
    [['journal', 're'], ['resolve']],
    [
      ['export', ''],
      ['payments', 'customers', 'beneficiaries'],
    ],
    [
      ['export', 'payments', '--format', ''],
      ['jsonl', 'csv'],
    ],
    [['follow', '--status', 'COM'], ['COMPLETED']],
    [['follow', '--checkpoint', ''], []],
    [['follow', '--once', '--o'], []],
    [['unknown', ''], []],
  ])('offers for %j the words %j', async (typed, words) => {
    expect(await wordsFor(...typed)).toEqual(words);
  });

  test('rejects an unknown shell', async () => {
    const { code, notes } = await corridor(['completion', 'tcsh']);

    expect(code).toBe(2);
    expect(notes).toContain('pass a shell: bash, zsh or fish');
  });
});

const here = fileURLToPath(new URL('.', import.meta.url));
const env = { ...process.env, PATH: `${here}:${dirname(process.execPath)}:${process.env['PATH'] ?? ''}` };
const run = promisify(execFile);

describe('the script of bash', () => {
  const program = `
    eval "$(corridor completion bash)"
    COMP_WORDS=("$@")
    COMP_CWORD=$(($# - 1))
    _corridor
    printf '%s\\n' "\${COMPREPLY[@]}"`;

  test.concurrent('completes commands and calls', async () => {
    const { stdout } = await run('bash', ['-c', program, 'bash', 'corridor', 'call', 'customers.'], { env });

    expect(stdout.trim().split('\n')).toEqual(endpointNames.filter((name) => name.startsWith('customers.')));
  });

  test.concurrent('executes nothing of the command line', async () => {
    const typed = ['corridor', 'call', '$(echo executed >&2)', '`echo executed >&2`', ''];

    expect(await run('bash', ['-c', program, 'bash', ...typed], { env })).toMatchObject({ stdout: '\n', stderr: '' });
  });
});

// They need not be installed.
const shells = ['zsh', 'fish'].filter((shell) => spawnSync(shell, ['--version']).status === 0);
for (const shell of ['bash', ...shells]) {
  test.concurrent(`the script of ${shell} is valid`, async () => {
    const check = `corridor completion ${shell} | ${shell} -n /dev/stdin`;

    expect(await run('sh', ['-c', check], { env })).toMatchObject({ stdout: '', stderr: '' });
  });
}
