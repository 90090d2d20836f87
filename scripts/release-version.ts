import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The sections of Keep a Changelog for those that changesets writes. */
const sections: Readonly<Record<string, string>> = {
  'Major Changes': 'Changed',
  'Minor Changes': 'Added',
  'Patch Changes': 'Fixed',
};

/**
 * Copies the version that changesets set in package.json to src/version.ts and the lock file, and completes its entry in
 * the changelog: the date, and the sections of Keep a Changelog. The first release has no changesets: its entry is
 * written by hand, and only gets its date.
 */
export function spreadVersion(root: string, date: string): string {
  const { version } = JSON.parse(readFileSync(`${root}/package.json`, 'utf8')) as { readonly version: string };
  const replace = (path: string, pattern: RegExp, text: string): void => {
    const before = readFileSync(`${root}/${path}`, 'utf8');
    if (!pattern.test(before)) throw new Error(`${path} contains no version`);
    writeFileSync(`${root}/${path}`, before.replace(pattern, text));
  };
  replace('src/version.ts', /version = '[^']*'/, `version = '${version}'`);
  // The first two: of the lock file's package, and of its entry among the packages.
  replace(
    'package-lock.json',
    /^(\{\n {2}"name": "[^"]*",\n {2}"version": ")[^"]*("[^]*?\n {6}"version": ")[^"]*/,
    `$1${version}$2${version}`,
  );
  replace(
    'CHANGELOG.md',
    new RegExp(String.raw`^## ${version.replaceAll('.', String.raw`\.`)}(?: - unreleased)?$`, 'm'),
    `## ${version} - ${date}`,
  );
  for (const [before, after] of Object.entries(sections)) {
    const changelog = readFileSync(`${root}/CHANGELOG.md`, 'utf8');
    writeFileSync(`${root}/CHANGELOG.md`, changelog.replaceAll(`### ${before}`, `### ${after}`));
  }
  return version;
}

if (import.meta.main) {
  const today = new Date().toISOString().slice(0, 10);
  console.log(spreadVersion(fileURLToPath(new URL('..', import.meta.url)), today));
}
