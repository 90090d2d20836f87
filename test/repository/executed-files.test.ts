import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

// What a reader has to open to follow one payment.
const maxClientFiles = 25;
const maxMockFiles = 36;

test('a successful payments.create runs through few files of the client and of the mock', () => {
  const root = fileURLToPath(new URL('../../', import.meta.url));
  const args = ['--import', './test/examples/from-source.ts', './test/repository/executed-files.ts'];
  const output = execFileSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
  const { client, mock } = JSON.parse(output) as Readonly<Record<'client' | 'mock', readonly string[]>>;
  expect(client).toContain('resources/payments.ts');
  expect(client.length, client.join('\n')).toBeLessThanOrEqual(maxClientFiles);
  expect(mock).toContain('mock/handlers/payments.ts');
  expect(mock.length, mock.join('\n')).toBeLessThanOrEqual(maxMockFiles);
});
