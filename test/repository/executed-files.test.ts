import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

interface ExecutedFiles {
  readonly client: readonly string[];
  readonly create: readonly string[];
  readonly list: readonly string[];
}

// What a reader has to open to follow one payment.
const maxClientFiles = 25;
const maxMockFiles = 34;
// What a reader of the mock has to open to follow a request that creates nothing, without the contract.
const maxListFiles = 22;

test('a successful request runs through few files of the client and of the mock', () => {
  const root = fileURLToPath(new URL('../../', import.meta.url));
  const args = ['--import', './test/examples/from-source.ts', './test/repository/executed-files.ts'];
  const output = execFileSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
  const { client, create, list } = JSON.parse(output) as ExecutedFiles;
  expect(client).toContain('resources/payments.ts');
  expect(client.length, client.join('\n')).toBeLessThanOrEqual(maxClientFiles);
  expect(create).toContain('mock/handlers/payments.ts');
  expect(create.length, create.join('\n')).toBeLessThanOrEqual(maxMockFiles);
  expect(list).toContain('mock/store/paginate.ts');
  expect(list.length, list.join('\n')).toBeLessThanOrEqual(maxListFiles);
});
