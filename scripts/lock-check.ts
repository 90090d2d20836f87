import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** One package of a lock file. */
interface LockEntry {
  readonly link?: boolean;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** A lock file of npm, as far as it is checked. */
export interface Lock {
  readonly packages: Readonly<Record<string, LockEntry>>;
}

/**
 * What is wrong with a lock file. npm leaves optional platform packages out of it without a word where the registry lacks
 * one, and the next `npm ci` then fails on every machine; and an address in it ties the repository to one registry.
 */
export function lockProblems(lock: Lock): string[] {
  return Object.entries(lock.packages).flatMap(([place, entry]) => [
    ...(entry.resolved !== undefined && entry.link !== true ? [`${place}: has an address (remove "resolved")`] : []),
    ...(place !== '' && entry.link !== true && entry.integrity === undefined ? [`${place}: has no integrity hash`] : []),
    ...Object.keys(entry.optionalDependencies ?? {})
      .filter((name) => !placesFor(place, name).some((candidate) => candidate in lock.packages))
      .map((name) => `${place}: its optional dependency ${name} is not in the lock file`),
  ]);
}

/** Where Node would look for a package that one at `place` depends on, innermost first. */
function placesFor(place: string, name: string): string[] {
  const inside = place === '' ? '' : `${place}/`;
  const here = `${inside}node_modules/${name}`;
  if (place === '') return [here];
  const outer = place.lastIndexOf('/node_modules/');
  return [here, ...placesFor(outer === -1 ? '' : place.slice(0, outer), name)];
}

/** The lock files of the repository. */
export const locks: readonly string[] = globSync(['{,*/,consumers/*/}package-lock.json'], { cwd: root }).map((path) => path.replaceAll('\\', '/')).toSorted();

if (import.meta.main) {
  for (const path of locks) {
    const lock = JSON.parse(readFileSync(`${root}${path}`, 'utf8')) as Lock;
    const problems = lockProblems(lock);
    for (const problem of problems) console.error(`${path}: ${problem}`);
    console.log(`${Object.keys(lock.packages).length - 1} packages in ${path}, ${problems.length} problems`);
    if (problems.length > 0) process.exitCode = 1;
  }
}
