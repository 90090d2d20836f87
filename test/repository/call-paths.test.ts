import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** How many files a reader opens to follow a call, at most. */
const limits: Readonly<Record<string, number>> = {
  'payments.create': 18,
  'payments.list': 20,
  'payments.createOnce': 27,
  'payments.export': 31,
  'a create in the mock': 21,
};

test('a call runs through few files', () => {
  const args = ['--import', './test/examples/from-source.ts', './scripts/call-paths.ts', '--json'];
  const paths = JSON.parse(execFileSync(process.execPath, args, { cwd: root, encoding: 'utf8' })) as Record<
    string,
    readonly string[]
  >;
  expect(Object.keys(paths)).toEqual(Object.keys(limits));
  for (const [call, files] of Object.entries(paths)) {
    expect(files.length, `${call}:\n${files.join('\n')}`).toBeGreaterThan(0);
    expect(files.length, `${call}:\n${files.join('\n')}`).toBeLessThanOrEqual(limits[call] ?? 0);
  }
});
