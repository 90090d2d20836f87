import { posix } from 'node:path';
import { importsOf, type SourceFile } from './tree.js';

/** A room of the house: a folder or a few files of src. */
interface Room {
  readonly name: string;
  readonly holds: RegExp;
  /** The rooms whose files it may import; its own always. */
  readonly imports: readonly string[];
}

/** The core from the front door down: a file imports only what stands in its own room or below. */
const storeys: readonly (readonly [name: string, holds: RegExp])[] = [
  ['index', /^src\/index\.ts$/],
  ['client', /^src\/client\.ts$/],
  ['options', /^src\/options\.ts$/],
  ['workflows', /^src\/workflows\//],
  ['resources', /^src\/resources\//],
  ['pages', /^src\/(?:pages|trail|api-call)\.ts$/],
  ['transport', /^src\/transport\//],
  ['contract', /^src\/contract\//],
  ['journal', /^src\/journal\//],
  ['errors', /^src\/(?:errors?|version|standard-schema)\.ts$/],
];

/** Every room of src. The mock stands on the contract, beside the client, with a door of its own; the command stands on both doors. */
const rooms: readonly Room[] = [
  ...storeys.map(([name, holds], index) => ({ name, holds, imports: storeys.slice(index + 1).map(([below]) => below) })),
  { name: 'mock', holds: /^src\/mock\//, imports: ['contract'] },
  { name: 'cli', holds: /^src\/cli\//, imports: ['index', 'mock', 'contract', 'journal', 'errors'] },
];

/** The packages of the core and of the mock, each with the only files that may import it. */
const packages: Readonly<Record<string, RegExp>> = {
  'zod/mini': /^src\/(?:contract|transport|resources|mock)\//,
  'zod/v4/core': /^src\/contract\//,
  ky: /^src\/transport\/exchange\.ts$/,
  jose: /^src\/(?:transport\/(?:credentials|keys)\.ts$|mock\/)/,
  msw: /^src\/mock\/msw\.ts$/,
  vitest: /^src\/mock\/vitest\.ts$/,
  'node:http': /^src\/mock\/node(?:-delivery)?\.ts$/,
  'node:net': /^src\/(?:mock\/node\.ts$|cli\/)/,
  'node:crypto': /^src\/cli\//,
  'node:dns/promises': /^src\/cli\//,
  'node:fs': /^src\/cli\//,
  'node:fs/promises': /^src\/cli\//,
  'node:os': /^src\/cli\//,
  'node:path': /^src\/cli\//,
  'node:tls': /^src\/cli\//,
  'node:util': /^src\/cli\//,
};

/** The imports that the table of rooms or the table of packages refuses, one line each. */
export function refusedImports(files: readonly SourceFile[]): string[] {
  return files.flatMap((file) => {
    const room = roomOf(file.path);
    if (room === undefined) return [`${file.path} stands in no room`];
    return importsOf(file).flatMap((specifier) => {
      const target = localTarget(file.path, specifier);
      if (target === undefined) return packages[specifier]?.test(file.path) === true ? [] : [`${file.path} imports ${specifier}`];
      const other = roomOf(target);
      return other !== undefined && (other === room || room.imports.includes(other.name)) ? [] : [`${file.path} imports ${target}`];
    });
  });
}

/** The circles of imports, types included: each as the files on it, in order. */
export function circles(files: readonly SourceFile[]): string[][] {
  const next = new Map(files.map((file) => [file.path, importsOf(file).flatMap((specifier) => localTarget(file.path, specifier) ?? [])]));
  const found: string[][] = [];
  const done = new Set<string>();
  const walk = (path: string, trail: readonly string[]): void => {
    const start = trail.indexOf(path);
    if (start !== -1) found.push([...trail.slice(start), path]);
    if (start !== -1 || done.has(path)) return;
    for (const target of next.get(path) ?? []) walk(target, [...trail, path]);
    done.add(path);
  };
  for (const path of next.keys()) walk(path, []);
  return found;
}

function roomOf(path: string): Room | undefined {
  return rooms.find(({ holds }) => holds.test(path));
}

function localTarget(from: string, specifier: string): string | undefined {
  return specifier.startsWith('.') ? posix.join(posix.dirname(from), specifier).replace(/\.js$/, '.ts') : undefined;
}
