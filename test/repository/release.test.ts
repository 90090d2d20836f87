import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { spreadVersion } from '../../scripts/release-version.ts';
import { read } from './tree.js';

describe('a release', () => {
  let folder: string;
  const written = (path: string): string => readFileSync(join(folder, path), 'utf8');

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'corridor-release-'));
    mkdirSync(join(folder, 'src'));
    for (const path of ['package.json', 'package-lock.json', 'CHANGELOG.md', 'src/version.ts', '.changeset/config.json', '.changeset/changelog.mjs']) cpSync(path, join(folder, path));
    execFileSync('git', ['init', '--quiet', '--initial-branch=main', folder]);
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  test('makes a changelog of what changesets say, and brings the version everywhere', () => {
    writeFileSync(join(folder, '.changeset/one.md'), "---\n'corridor-sdk': major\n---\n\n`payments.find` takes a receipt.\n\nGive it by `receiptUrl`.\n");
    const cli = join(process.cwd(), 'node_modules/@changesets/cli/bin.js');
    execFileSync(process.execPath, [cli, 'version'], { cwd: folder, stdio: 'pipe' });
    const version = spreadVersion(folder);

    expect(version).toMatch(/^[1-9]\d*\.0\.0$/);
    expect(written('CHANGELOG.md')).toMatch(new RegExp(`^# Changelog\n\n## ${version}\n\n### Major Changes\n\n- \`payments\\.find\` takes a receipt\\.\n\n  Give it by \`receiptUrl\`\\.\n\n## \\d`));
    expect(written('src/version.ts')).toContain(`version = '${version}'`);
    const lock = JSON.parse(written('package-lock.json')) as { version: string; packages: Record<string, { version: string }> };
    expect([lock.version, lock.packages['']?.version]).toEqual([version, version]);
    const before = read('package-lock.json').text.split('\n');
    expect(written('package-lock.json').split('\n').filter((line, index) => line !== before[index])).toHaveLength(2);
  });
});

test('the version stands in the lock file and at the head of the changelog', () => {
  const { version } = JSON.parse(read('package.json').text) as { readonly version: string };
  expect((JSON.parse(read('package-lock.json').text) as { readonly version: string }).version).toBe(version);
  expect(/^## (\S+)/m.exec(read('CHANGELOG.md').text)?.[1]).toBe(version);
});

describe('the workflows', () => {
  const workflows = readdirSync('.github/workflows').map((name) => read(`.github/workflows/${name}`));
  const publish = read('.github/workflows/publish.yml').text;

  test('use no stored secret', () => {
    expect(workflows.filter(({ text }) => /secrets\.|NPM_TOKEN|_authToken/.test(text)).map(({ path }) => path)).toEqual([]);
  });

  test('grant the identity that publishes to the publishing job alone', () => {
    expect(workflows.filter(({ text }) => text.includes('id-token: write')).map(({ path }) => path)).toEqual(['.github/workflows/publish.yml']);
    expect(publish.split(/^ {2}publish:$/m).map((part) => part.includes('id-token: write'))).toEqual([false, true]);
    expect(publish).toContain('publish --provenance');
  });

  test('run the gate on every change, and before anything is published', () => {
    expect(read('.github/workflows/ci.yml').text).toMatch(/pull_request:[^]*run: \.ci\/run/);
    expect(publish.indexOf('run: .ci/run')).toBeGreaterThan(0);
    expect(publish.indexOf('run: .ci/run')).toBeLessThan(publish.indexOf('publish --provenance'));
  });
});
