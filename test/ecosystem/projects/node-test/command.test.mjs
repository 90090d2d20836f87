import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';

const run = promisify(execFile);
const corridor = (...words) => run('npx', ['--no', 'corridor-sdk', ...words], { cwd: new URL('.', import.meta.url) });

test('the command is installed, and its commands print help', async () => {
  for (const command of ['keygen', 'doctor', 'call', 'mock']) {
    const { stdout } = await corridor(command, '--help');
    assert.match(stdout, new RegExp(`corridor-sdk ${command}`));
  }
});
