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

/** The parts of an npm lock file that are checked. */
export interface Lock {
  readonly packages: Readonly<Record<string, LockEntry>>;
}

/**
 * Returns the problems of a lock file. If the registry lacks an optional platform package, npm silently leaves it out,
 * and the next `npm ci` fails on every machine. A `resolved` address ties the repository to one registry.
 */
export function lockProblems(lock: Lock): string[] {
  return Object.entries(lock.packages).flatMap(([path, entry]) => [
    ...(entry.resolved !== undefined && entry.link !== true ? [`${path}: has an address (remove "resolved")`] : []),
    ...(path !== '' && entry.link !== true && entry.integrity === undefined ? [`${path}: has no integrity hash`] : []),
    ...Object.keys(entry.optionalDependencies ?? {})
      .filter((name) => !searchPaths(path, name).some((candidate) => candidate in lock.packages))
      .map((name) => `${path}: its optional dependency ${name} is not in the lock file`),
  ]);
}

/** Returns the paths at which Node looks for a dependency of the package at `path`, innermost first. */
function searchPaths(path: string, name: string): string[] {
  const inside = path === '' ? '' : `${path}/`;
  const here = `${inside}node_modules/${name}`;
  if (path === '') return [here];
  const outer = path.lastIndexOf('/node_modules/');
  return [here, ...searchPaths(outer === -1 ? '' : path.slice(0, outer), name)];
}

/** The lock files of the repository. */
export const locks: readonly string[] = globSync(
  ['{,bench/,examples/*/,scripts/site/,test/mutation/,test/ecosystem/*/,test/ecosystem/projects/*/}package-lock.json'],
  { cwd: root },
)
  .map((path) => path.replaceAll('\\', '/'))
  .toSorted();

if (import.meta.main) {
  for (const path of locks) {
    const lock = JSON.parse(readFileSync(`${root}${path}`, 'utf8')) as Lock;
    const problems = lockProblems(lock);
    for (const problem of problems) console.error(`${path}: ${problem}`);
    console.log(`${Object.keys(lock.packages).length - 1} packages in ${path}, ${problems.length} problems`);
    if (problems.length > 0) process.exitCode = 1;
  }
}
