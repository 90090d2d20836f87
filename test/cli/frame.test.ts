import { expect, test } from 'vitest';
import { read } from '../../scripts/repository/tree.ts';
import { corridor } from './corridor.ts';

const { version } = JSON.parse(read('package.json').text) as { readonly version: string };

test.concurrent('--version prints the version of the package', async () => {
  expect(await corridor(['--version'])).toEqual({ code: 0, output: `${version}\n`, notes: '' });
});

test.concurrent('--help lists the commands, the variables and the exit codes', async () => {
  const { code, output } = await corridor(['--help']);

  expect(code).toBe(0);
  for (const text of [
    'mock',
    'keygen',
    'doctor',
    'call',
    'CORRIDOR_BASE_URL',
    'CORRIDOR_API_KEY',
    'CORRIDOR_PRIVATE_KEY',
    '0 done; 1 failed; 2 wrong command line',
  ])
    expect(output).toContain(text);
});

test.concurrent.each([
  [['--help'], 60],
  [['--help'], 120],
  [['verify', '--help'], 40],
  [['verify', '--help'], 60],
  [['call', '--help'], 60],
  [['call', '--help'], 80],
  [['mock', '--help'], 120],
])('%j fits a terminal of %i columns, without cut words', async (words, terminal) => {
  const narrow = await corridor(words, { terminal });
  const wide = await corridor(words);

  const tooLong = narrow.output.split('\n').filter((line) => line.length > terminal && line.trim().includes(' '));
  expect(tooLong).toEqual([]);
  expect(narrow.output.split(/\s+/)).toEqual(wide.output.split(/\s+/));
});

test.concurrent('no command at all prints the help to standard error', async () => {
  const { code, output, notes } = await corridor([]);

  expect({ code, output }).toEqual({ code: 2, output: '' });
  expect(notes).toContain('Usage: npx corridor-sdk <command>');
});

test.concurrent.each([
  [['keygen', '--help'], 'Usage: npx corridor-sdk keygen'],
  [['help', 'keygen'], 'Usage: npx corridor-sdk keygen'],
  [['mock', '-h'], 'Usage: npx corridor-sdk mock'],
  [['doctor', '--json', '--help'], 'Usage: npx corridor-sdk doctor'],
  [['follow', '--help'], 'Usage: npx corridor-sdk follow [options]'],
  [['journal', '--help'], 'Usage: npx corridor-sdk journal <action>'],
  [['call', '--help'], 'Usage: npx corridor-sdk call <namespace.method>'],
  [['call', 'customers.get', '--help'], 'Usage: npx corridor-sdk call customers.get <id>'],
  [['call', '--max', '5', 'payments.list', '--help'], 'Usage: npx corridor-sdk call payments.list [json]'],
  [['call', 'payments.list', '--max', '--help'], 'Usage: npx corridor-sdk call payments.list [json]'],
  [['help', 'call', '--max', '5', 'payments.list'], 'Usage: npx corridor-sdk call payments.list [json]'],
])('%j prints the help of the command', async (words, usage) => {
  const { code, output } = await corridor(words);

  expect(code).toBe(0);
  expect(output).toContain(usage);
});

test.concurrent.each([
  [['docter'], 'unknown command "docter"; did you mean npx corridor-sdk doctor?'],
  [['help', 'cal'], 'unknown command "cal"; did you mean npx corridor-sdk call?'],
  [['frobnicate'], 'unknown command "frobnicate"\n'],
  [['constructor'], 'unknown command "constructor"\n'],
  [['keygen', '--bit', '3072'], 'unknown option --bit; did you mean --bits?'],
  [['keygen', '--bits'], '--bits requires a value: --bits <n>'],
  [['call', 'payments.list', '--max', '--all'], '--max requires a value: --max <n>'],
  [['mock', '--key-file', '--', 'key.pem'], '--key-file requires a value: --key-file <file>'],
  [['keygen', '--json=yes'], '--json takes no value'],
  [['keygen', 'please'], 'unexpected argument "please"'],
  [['journal'], 'the action is missing. Pass list, show, resolve, reconcile or purge'],
  [['journal', 'lst', 'a.sqlite'], 'unknown action "lst"; did you mean list?'],
  [['journal', 'list'], 'the journal is missing. Pass a SQLite file or a PostgreSQL URL, or set DATABASE_URL'],
  [['journal', 'show', 'package.json'], 'show needs the quote or the key of an entry'],
  [['journal', 'list', 'package.json', 'quo_1'], 'unexpected argument "quo_1"'],
  [['journal', 'list', 'package.json', '--table', 'a'], '--table applies to PostgreSQL only; remove it'],
  ...['list', 'show', 'resolve'].map((action): [string[], string] => [
    ['journal', action, 'package.json', ...(action === 'list' ? [] : ['quo_1']), '--before', '2026-01-01'],
    '--before applies to purge only; remove it',
  ]),
  [['call', 'payment.list'], 'unknown endpoint "payment.list"; did you mean payments.list?'],
])('%j is rejected with a suggestion', async (words, message) => {
  const { code, output, notes } = await corridor(words);

  expect({ code, output }).toEqual({ code: 2, output: '' });
  expect(notes).toContain(message);
  expect(notes).toMatch(/see npx corridor-sdk .*--help\n$/);
});

test.concurrent('an invalid command line is reported as JSON if JSON is requested', async () => {
  const { code, notes } = await corridor(['doctor', '--jsn', '--json']);

  expect(code).toBe(2);
  expect(JSON.parse(notes)).toEqual({
    error: { name: 'UsageError', code: 'usage', message: 'unknown option --jsn; did you mean --json?' },
  });
});
