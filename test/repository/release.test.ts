import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { locks } from '../../scripts/lock-check.ts';
import { spreadVersion } from '../../scripts/release-version.ts';
import { read } from '../../scripts/repository/tree.ts';

const publish = read('.github/workflows/publish.yml').text;

describe('a release', () => {
  let folder: string;
  const written = (path: string): string => readFileSync(join(folder, path), 'utf8');

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'corridor-release-'));
    mkdirSync(join(folder, 'src'));
    for (const path of [
      'package.json',
      'package-lock.json',
      'CHANGELOG.md',
      'src/version.ts',
      '.changeset/config.json',
      '.changeset/changelog.mjs',
    ])
      cpSync(path, join(folder, path));
    execFileSync('git', ['init', '--quiet', '--initial-branch=main', folder]);
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  test('creates the changelog from the changesets and copies the version everywhere', () => {
    writeFileSync(
      join(folder, '.changeset/one.md'),
      "---\n'corridor-sdk': major\n---\n\n`payments.find` takes a receipt.\n\nGive it by `receiptUrl`.\n",
    );
    const cli = join(process.cwd(), 'node_modules/@changesets/cli/bin.js');
    execFileSync(process.execPath, [cli, 'version'], { cwd: folder, stdio: 'pipe' });
    const version = spreadVersion(folder, '2026-11-22');

    expect(version).toMatch(/^[1-9]\d*\.0\.0$/);
    expect(written('CHANGELOG.md')).toMatch(
      new RegExp(
        `^# Changelog\n[^]*?\n## ${version} - 2026-11-22\n\n### Changed\n\n- \`payments\\.find\` takes a receipt\\.\n\n  Give it by \`receiptUrl\`\\.\n\n## \\d`,
      ),
    );
    expect(written('src/version.ts')).toContain(`version = '${version}'`);
    const lock = JSON.parse(written('package-lock.json')) as {
      version: string;
      packages: Record<string, { version: string }>;
    };
    expect([lock.version, lock.packages['']?.version]).toEqual([version, version]);
    const before = read('package-lock.json').text.split('\n');
    expect(
      written('package-lock.json')
        .split('\n')
        .filter((line, index) => line !== before[index]),
    ).toHaveLength(2);
  });

  test('sets the date of the first version, which has no changesets', () => {
    const entry = '## 0.1.0 - unreleased\n\nThe first release.\n';
    writeFileSync(join(folder, 'CHANGELOG.md'), `# Changelog\n\n${entry}`);
    writeFileSync(
      join(folder, 'package.json'),
      read('package.json').text.replace(/"version": ".+"/, '"version": "0.1.0"'),
    );
    expect(spreadVersion(folder, '2026-11-22')).toBe('0.1.0');
    expect(written('CHANGELOG.md')).toBe('# Changelog\n\n## 0.1.0 - 2026-11-22\n\nThe first release.\n');
    expect(() => spreadVersion(folder, '2026-11-23')).toThrow('CHANGELOG.md contains no version');
  });
});

test('until a version is published, its entry of the changelog is edited, and no changeset is pending', () => {
  const pending = readdirSync('.changeset').filter((name) => name.endsWith('.md') && name !== 'README.md');
  const [, date] = /^## \S+ - (\S+)$/m.exec(read('CHANGELOG.md').text) ?? [];
  expect(date).toMatch(/^(?:unreleased|\d{4}-\d\d-\d\d)$/);
  expect(date === 'unreleased' ? pending : [], 'edit the entry of the unreleased version in CHANGELOG.md').toEqual([]);
  expect(publish).toContain('grep -q "^## $version - 20" CHANGELOG.md');
});

test('the version is in the lock file and at the top of the changelog', () => {
  const { version } = JSON.parse(read('package.json').text) as { readonly version: string };
  expect((JSON.parse(read('package-lock.json').text) as { readonly version: string }).version).toBe(version);
  expect(/^## (\S+)/m.exec(read('CHANGELOG.md').text)?.[1]).toBe(version);
});

describe('the workflows', () => {
  const workflows = readdirSync('.github/workflows').map((name) => read(`.github/workflows/${name}`));

  test('use no stored secret', () => {
    expect(workflows.filter(({ text }) => /secrets\.|NPM_TOKEN|_authToken/.test(text)).map(({ path }) => path)).toEqual(
      [],
    );
  });

  test('grant the identity that publishes to the publishing job alone', () => {
    expect(workflows.filter(({ text }) => text.includes('id-token: write')).map(({ path }) => path)).toEqual([
      '.github/workflows/publish.yml',
    ]);
    expect(publish.split(/^ {2}publish:$/m).map((part) => part.includes('id-token: write'))).toEqual([false, true]);
    expect(publish).toContain('--provenance');
  });

  test('install and run nothing in the job that has the identity', () => {
    const [, job = ''] = /^ {2}publish:$([^]*)/m.exec(publish) ?? [];
    expect(job).toContain('id-token: write');
    expect(job).not.toMatch(/npx|npm (?:ci|install|i|run|exec)\b|\.ci\/|node scripts|actions\/checkout/);
  });

  test('keep no credentials of a checkout', () => {
    const checkouts = workflows.flatMap(({ text }) => text.split('uses: actions/checkout@').slice(1));
    expect(checkouts.length).toBeGreaterThan(5);
    for (const checkout of checkouts)
      expect(checkout.split('- uses:', 1).join()).toContain('persist-credentials: false');
  });

  test('pin every action by the commit of a named version', () => {
    const used = workflows.flatMap(({ path, text }) =>
      [...text.matchAll(/uses: (.+)$/gm)].map(([, action = '']) => ({ path, action })),
    );
    expect(used.length).toBeGreaterThan(10);
    expect(used.filter(({ action }) => !/^[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(action))).toEqual([]);
  });

  test('may only read the repository, except for jobs that name more', () => {
    expect(
      workflows.filter(({ text }) => !/^permissions:\n {2}contents: read$/m.test(text)).map(({ path }) => path),
    ).toEqual([]);
  });

  test('attest two lists of the contents to the package that is published, and verify it afterwards', () => {
    for (const format of ['cyclonedx', 'spdx']) expect(publish).toContain(`npm sbom --sbom-format ${format}`);
    expect(publish).toContain(`jq '.metadata.component.name = "corridor-sdk"' "$RUNNER_TEMP/sbom.json" >`);
    expect(publish.match(/actions\/attest-sbom@/g)).toHaveLength(2);
    expect(publish).toContain('publish release/*.tgz --provenance');
    expect(read('.github/workflows/verify.yml').text).toContain('npm audit signatures');
  });

  test.each(['codeql', 'osv', 'scorecard', 'verify'])('run %s once a week or more often', (name) => {
    expect(read(`.github/workflows/${name}.yml`).text).toMatch(/^ {4}- cron: '\d+ \d+ \* \* (?:\d|\*)'$/m);
  });

  test('run the gate on every change, and before anything is published', () => {
    expect(read('.github/workflows/ci.yml').text).toMatch(/pull_request:[^]*run: \.ci\/run/);
    expect(publish.indexOf('run: .ci/run')).toBeGreaterThan(0);
    expect(publish.indexOf('run: .ci/run')).toBeLessThan(publish.indexOf('--provenance'));
  });
});

test('the dependencies of every lock file are updated', () => {
  const [, list = ''] = /directories:\n((?: {6}- .+\n)+)/.exec(read('.github/dependabot.yml').text) ?? [];
  const patterns = [...list.matchAll(/- \/(.*)$/gm)].map(([, path = '']) => posix.join(path, 'package-lock.json'));
  expect(locks.filter((lock) => !patterns.some((pattern) => posix.matchesGlob(lock, pattern)))).toEqual([]);
});
