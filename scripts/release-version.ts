import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Brings the version that changesets gave package.json to the other places that tell it: src/version.ts and the lock file. */
export function spreadVersion(root: string): string {
  const { version } = JSON.parse(readFileSync(`${root}/package.json`, 'utf8')) as { readonly version: string };
  const replace = (path: string, pattern: RegExp, text: string): void => {
    const before = readFileSync(`${root}/${path}`, 'utf8');
    if (!pattern.test(before)) throw new Error(`${path} tells no version`);
    writeFileSync(`${root}/${path}`, before.replace(pattern, text));
  };
  replace('src/version.ts', /version = '[^']*'/, `version = '${version}'`);
  // The first two: of the lock file's package, and of its entry among the packages.
  replace('package-lock.json', /^(\{\n {2}"name": "[^"]*",\n {2}"version": ")[^"]*("[^]*?\n {6}"version": ")[^"]*/, `$1${version}$2${version}`);
  return version;
}

if (import.meta.main) console.log(spreadVersion(fileURLToPath(new URL('..', import.meta.url))));
