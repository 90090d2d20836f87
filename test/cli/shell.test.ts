import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { privateKey } from '../support/key.ts';
import { corridor } from './corridor.ts';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'corridor-shell-'));
  return () => rm(folder, { recursive: true });
});

const PATH = dirname(process.execPath);

describe('printed commands', () => {
  test.concurrent('call it by the name of the package, because npx would install another one', async () => {
    const { output } = await corridor(['call', '--help'], { folder });

    const commands = [...output.matchAll(/^(?:Usage: | {2})([^-\s].*corridor-sdk .*)$/gm)].map(
      ([, command = '']) => command,
    );
    expect(commands.length).toBeGreaterThan(3);
    for (const command of commands) expect(command).toMatch(/^npx corridor-sdk call /);
  });

  test.concurrent('quote JSON, lists and @file for PowerShell', async () => {
    const { output } = await corridor(['call', '--help'], { environment: { PSModulePath: '/opt/modules' } });

    expect(output).toContain(`  '{"status":"COMPLETED"}' | npx corridor-sdk call payments.list - --max 500\n`);
    expect(output).toContain(`  npx corridor-sdk call payments.create '@payment.json' --yes\n`);
  });

  test.concurrent('of an error use the same settings', async () => {
    const settings = `CORRIDOR_BASE_URL=http://127.0.0.1:10\nCORRIDOR_API_KEY=some-key\nCORRIDOR_PRIVATE_KEY="${privateKey}"\n`;
    await writeFile(join(folder, 'sandbox.env'), settings, { mode: 0o600 });

    const { notes } = await corridor(['call', 'crypto.networks', '--env-file', 'sandbox.env'], { folder });

    expect(notes).toContain('Run npx corridor-sdk doctor --env-file sandbox.env to check');
  });

  test.concurrent('set variables in PowerShell', async () => {
    const { output } = await corridor(['keygen', '--out', "it's a key"], {
      environment: { PSModulePath: '/opt/modules' },
      folder,
    });

    expect(output).toContain(`$env:CORRIDOR_PRIVATE_KEY = Get-Content -Raw -LiteralPath 'it''s a key/key.pem'`);
  });

  test('run in a POSIX shell as they are', async () => {
    const keys = join(folder, "it's here");
    const { output } = await corridor(['keygen', '--out', keys]);
    onTestFinished(() => rm(keys, { recursive: true }));
    const [, setKey = '', doctor = ''] = /^ {2}3\. (.*)\n {2}4\. (.*)$/m.exec(output) ?? [];

    const run = promisify(execFile)(
      'sh',
      ['-c', `${setKey}\n${doctor.replace('npx corridor-sdk', 'corridor')} --json`],
      {
        env: { ...process.env, PATH: `${fileURLToPath(new URL('.', import.meta.url))}:${PATH}:${process.env['PATH']}` },
      },
    );

    const { stdout } = await run.catch((error: unknown) => error as { readonly stdout: string });
    const { findings } = JSON.parse(stdout) as { readonly findings: readonly object[] };
    expect(findings).toContainEqual(expect.objectContaining({ check: 'private key', status: 'ok' }));
  });
});
