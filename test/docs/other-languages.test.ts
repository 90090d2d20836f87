import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { serveMockPlatform, type MockPlatformServer } from 'corridor-sdk/mock/node';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fencesIn } from './read-snippets.ts';

const run = promisify(execFile);
const page = readFileSync(new URL('../../docs/testing-other-languages.md', import.meta.url), 'utf8');
const written = 'http://127.0.0.1:4010';

let served: MockPlatformServer;
const folder = mkdtempSync(join(tmpdir(), 'corridor-'));
beforeAll(async () => {
  served = await serveMockPlatform({ control: true });
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await served.close();
});

/** A block of the page, for the platform that is served here. */
function block(language: string): string {
  const code = fencesIn(page).find(({ info }) => info === language)?.code ?? '';
  expect(code).toContain(written);
  return code.replaceAll(written, served.url);
}

describe('docs/testing-other-languages.md', () => {
  test('the commands of the shell work', async () => {
    const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', block('sh')]);
    expect(stdout).toContain('payments.transition(id: string, status: string or object)');
    expect(stdout).toContain('"companyName":"Acme Ltd"');
    expect(served.platform.payments.all()).toEqual([]);
  });

  test('the tests in Python pass', async () => {
    const file = join(folder, 'test_payments.py');
    writeFileSync(file, block('python'));
    const { stderr } = await run('python3', [file]);
    expect(stderr).toMatch(/Ran 3 tests in .*\n\nOK/);
  });
});
