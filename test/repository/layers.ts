import { posix } from 'node:path';
import { importsOf, type SourceFile } from '../../scripts/repository/tree.ts';

/**
 * A layer: its name and its folders and, in the mock, files. `src/*` stands for the files beside the folders. The longest
 * path that matches a file decides.
 */
type Layer = readonly [name: string, ...paths: string[]];

/** The client, from the entry point down: a folder imports only from itself and from folders below it. */
const clientLayers: readonly Layer[] = [
  ['root', 'src/*'],
  ['resources', 'src/resources/'],
  ['mirror', 'src/mirror/'],
  ['workflows', 'src/workflows/'],
  ['core', 'src/core/'],
  ['transport', 'src/transport/'],
  ['journal', 'src/journal/'],
  ['database', 'src/database/'],
  ['errors', 'src/errors/'],
  ['contract', 'src/contract/'],
];

/** The mock, from its entries down. It shares only the contract with the client. */
const mockLayers: readonly Layer[] = [
  ['mock entries', 'src/mock/*'],
  ['mock server', 'src/mock/server/'],
  ['mock upstream', 'src/mock/upstream/'],
  ['mock control', 'src/mock/control/'],
  ['mock matchers', 'src/mock/matchers.ts'],
  ['mock platform', 'src/mock/platform/'],
  ['mock adapters', 'src/mock/adapters/'],
  ['mock request', 'src/mock/request/'],
  ['mock records', 'src/mock/records/'],
  ['mock state', 'src/mock/state/'],
  ['mock faults', 'src/mock/faults/'],
  ['mock wire', 'src/mock/wire/'],
  ['mock data', 'src/mock/data/'],
  ['mock base', 'src/mock/base/'],
];

interface Rule {
  readonly name: string;
  readonly paths: readonly string[];
  /** The layers that it may import, besides itself. */
  readonly imports: readonly string[];
}

const below = (layers: readonly Layer[], ...others: string[]): Rule[] =>
  layers.map(([name, ...paths], index) => ({
    name,
    paths,
    imports: [...layers.slice(index + 1).map(([lower]) => lower), ...others],
  }));

/** Every layer of src. The command line uses the public entries, the table of endpoints and the version. */
const rules: readonly Rule[] = [
  ...below(clientLayers),
  ...below(mockLayers, 'contract'),
  {
    name: 'cli',
    paths: ['src/cli/'],
    imports: ['root', 'mock entries', 'mock upstream', 'mirror', 'journal', 'database', 'presentation', 'contract'],
  },
  {
    name: 'console',
    paths: ['src/console/'],
    imports: ['mock entries', 'mock control', 'mock platform', 'mock wire', 'presentation', 'contract'],
  },
  { name: 'presentation', paths: ['src/presentation/'], imports: ['contract'] },
  { name: 'schemas', paths: ['src/schemas/'], imports: ['contract'] },
  { name: 'opentelemetry', paths: ['src/opentelemetry/'], imports: ['root', 'transport', 'errors', 'contract'] },
];

/** The packages that src may import, each with the only files that may import it. */
const packages: Readonly<Record<string, RegExp>> = {
  'zod/mini': /^src\/(?:options\.ts$|(?:contract|transport|resources|workflows|mock)\/)/,
  'zod/v4/core': /^src\/(?:contract|schemas|mock)\//,
  zod: /^src\/schemas\//,
  ky: /^src\/transport\/attempt\.ts$/,
  jose: /^src\/mock\//,
  'jose/base64url': /^src\/transport\/auth\/token\.ts$/,
  '@opentelemetry/api': /^src\/opentelemetry\//,
  standardwebhooks: /^src\/cli\/webhook\.ts$/,
  msw: /^src\/mock\/msw\.ts$/,
  vitest: /^src\/mock\/vitest\.ts$/,
  preact: /^src\/console\//,
  'preact/hooks': /^src\/console\//,
  esbuild: /^src\/mock\/server\/console-page\.ts$/,
  'node:http': /^src\/(?:mock\/(?:node\.ts$|server\/|adapters\/|upstream\/)|cli\/)/,
  'node:https': /^src\/(?:cli|mock\/upstream)\//,
  'node:stream': /^src\/(?:mock\/node\.ts$|cli\/)/,
  'node:stream/promises': /^src\/(?:mock\/node|cli\/files)\.ts$/,
  'node:net': /^src\/(?:mock\/(?:node\.ts$|server\/|adapters\/)|cli\/)/,
  'node:crypto': /^src\/(?:mock\/(?:control\/access\.ts$|server\/)|cli\/)/,
  'node:events': /^src\/(?:cli|mock\/upstream)\//,
  'node:dns/promises': /^src\/cli\//,
  'node:fs': /^src\/(?:cli\/|mock\/server\/console-page\.ts$)/,
  'node:fs/promises': /^src\/cli\//,
  'node:module': /^src\/cli\//,
  'node:os': /^src\/cli\//,
  'node:path': /^src\/cli\//,
  'node:querystring': /^src\/cli\//,
  'node:readline': /^src\/(?:mock\/node\.ts$|cli\/)/,
  'node:sqlite': /^src\/cli\/journal\.ts$/,
  'node:timers/promises': /^src\/cli\//,
  'node:tls': /^src\/cli\//,
  'node:url': /^src\/(?:cli\/|mock\/server\/console-page\.ts$)/,
  'node:util': /^src\/(?:mock\/server\/|cli\/)/,
  'node:zlib': /^src\/(?:mock\/(?:server|upstream)\/|cli\/)/,
};

/** Returns the imports that the layers or the table of packages forbid, one line each. */
export function forbiddenImports(files: readonly SourceFile[]): string[] {
  return files.flatMap((file) => {
    const rule = ruleFor(file.path);
    if (rule === undefined) return [`${file.path} is in no layer`];
    return importsOf(file).flatMap((specifier) => {
      const target = localTarget(file.path, specifier);
      if (target === undefined)
        return packages[specifier]?.test(file.path) === true ? [] : [`${file.path} imports ${specifier}`];
      const other = ruleFor(target);
      return other !== undefined && (other === rule || rule.imports.includes(other.name))
        ? []
        : [`${file.path} imports ${target}`];
    });
  });
}

function ruleFor(path: string): Rule | undefined {
  const matchLength = ({ paths }: Rule): number =>
    Math.max(
      0,
      ...paths
        .filter(
          (prefix) =>
            path === prefix ||
            `${posix.dirname(path)}/*` === prefix ||
            (prefix.endsWith('/') && path.startsWith(prefix)),
        )
        .map(({ length }) => length),
    );
  const [best] = rules
    .map((rule) => ({ rule, length: matchLength(rule) }))
    .filter(({ length }) => length > 0)
    .toSorted((left, right) => right.length - left.length);
  return best?.rule;
}

function localTarget(from: string, specifier: string): string | undefined {
  return specifier.startsWith('.') ? posix.join(posix.dirname(from), specifier).replace(/\.js$/, '.ts') : undefined;
}

/**
 * Returns the cycles of imports between the rooms of a folder, which are its folders and its loose files. Imports of
 * types count. Each cycle is the rooms that reach each other.
 */
export function cycles(files: readonly SourceFile[], folder: string): string[][] {
  const roomOf = (path: string): string | undefined =>
    path.startsWith(folder) ? path.slice(folder.length).split(/(?<=\/)/)[0] : undefined;
  const imports = new Map<string, Set<string>>();
  for (const file of files) {
    const room = roomOf(file.path);
    if (room === undefined) continue;
    const targets = importsOf(file).flatMap((specifier) => roomOf(localTarget(file.path, specifier) ?? '') ?? []);
    imports.set(room, new Set([...(imports.get(room) ?? []), ...targets.filter((target) => target !== room)]));
  }
  const reach = (from: string): Set<string> => {
    const reached = new Set<string>();
    const next = [from];
    for (let room = next.pop(); room !== undefined; room = next.pop())
      for (const target of imports.get(room) ?? []) if (!reached.has(target)) next.push((reached.add(target), target));
    return reached;
  };
  const reached = new Map([...imports.keys()].map((room) => [room, reach(room)]));
  const inCycle = [...imports.keys()].filter((room) => reached.get(room)?.has(room));
  const cycleOf = (room: string): string[] =>
    inCycle.filter((other) => reached.get(room)?.has(other) && reached.get(other)?.has(room));
  return [...new Set(inCycle.map((room) => cycleOf(room).toSorted().join(' ')))].map((cycle) => cycle.split(' '));
}
