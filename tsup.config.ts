import { mkdirSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { defineConfig, type Options } from 'tsup';
import { bundledPackages, thirdPartyNotices } from './scripts/licenses/notices.ts';
import { buildConsole } from './src/mock/server/console-page.ts';

const entry = {
  index: 'src/index.ts',
  'journal/postgres': 'src/journal/postgres.ts',
  'journal/sqlite': 'src/journal/sqlite.ts',
  'journal/testing': 'src/journal/testing.ts',
  'mirror/postgres': 'src/mirror/postgres.ts',
  'mirror/sqlite': 'src/mirror/sqlite.ts',
  'mock/index': 'src/mock/index.ts',
  'mock/msw': 'src/mock/msw.ts',
  'mock/node': 'src/mock/node.ts',
  'mock/vitest': 'src/mock/vitest.ts',
  'opentelemetry/index': 'src/opentelemetry/index.ts',
  'schemas/index': 'src/schemas/index.ts',
};

type Plugin = NonNullable<Options['esbuildPlugins']>[number];

/** The folders of the packages whose code the builds contain. */
const bundled = new Set<string>();

/** Replaces the module that bundles the console on first use by the bundled console. */
const consolePlugin: Plugin = {
  name: 'console',
  setup(build) {
    build.onLoad({ filter: /[\\/]src[\\/]mock[\\/]server[\\/]console-page\.ts$/ }, async () => {
      const { page, metafile } = await buildConsole();
      bundledPackages(metafile).forEach((folder) => bundled.add(folder));
      return {
        contents: `const page = ${JSON.stringify(page)}; export const consolePage = () => Promise.resolve(page);`,
      };
    });
  },
};

/** Entries and commands that are used beside a client, even if they need only a part of its code. */
const besideClient =
  /[\\/]src[\\/](?:(?:journal|mirror)[\\/](?:postgres|sqlite|testing)|mock[\\/](?:index|msw|node|vitest)|opentelemetry[\\/]index|cli[\\/](?:mock|follow|sync|journal|(?:doctor|verify|call|export)[\\/]index))\.ts$/;

/**
 * Lets them load the whole client, so that its code is in few chunks: otherwise each set of entries that share some of it
 * has its own chunk, and the import of the package loads twice as many files.
 */
const clientPlugin: Plugin = {
  name: 'client',
  setup(build) {
    build.onResolve({ filter: /^client$/ }, () => ({ path: resolve('src/client.ts'), sideEffects: true }));
    build.onLoad({ filter: besideClient }, async ({ path }) => ({
      contents: `import 'client';\n${await readFile(path, 'utf8')}`,
      loader: 'ts',
    }));
  },
};

/** Writes the licenses of the packages whose code dist contains. Each build adds its own. */
const noticesPlugin: Plugin = {
  name: 'notices',
  setup(build) {
    build.initialOptions.metafile = true;
    build.onEnd(({ metafile }) => {
      if (metafile !== undefined) bundledPackages(metafile).forEach((folder) => bundled.add(folder));
      mkdirSync('dist', { recursive: true });
      writeFileSync('dist/THIRD-PARTY-NOTICES.txt', thirdPartyNotices(bundled));
    });
  },
};

// The client contains the versions of ky and zod that the tests have seen, so that no release of either can break a call.
// corridor-sdk/schemas derives schemas of the program's zod. jose is bundled where Jest must be able to require it.
const contained = ['ky', 'jose/base64url', /^zod\/(?:mini|v4\/core)$/];

const plugins = [consolePlugin, noticesPlugin];

const shared: Options = {
  entry,
  target: 'es2022',
  sourcemap: false,
  clean: false,
  treeshake: true,
  esbuildPlugins: plugins,
  // Keep the linked paths of packages: esbuild writes paths into comments, and the real ones differ between machines.
  esbuildOptions: (options) => Object.assign(options, { preserveSymlinks: true }),
};

export default defineConfig([
  // The command line has no types and shares chunks with the entries: each command loads only what it needs.
  {
    ...shared,
    entry: { ...entry, 'cli/index': 'src/cli/index.ts' },
    format: ['esm'],
    splitting: true,
    esbuildPlugins: [...plugins, clientPlugin],
    noExternal: contained,
  },
  // ky has names of ours, such as TimeoutError, which would print as TimeoutError2.
  {
    ...shared,
    format: ['cjs'],
    splitting: false,
    platform: 'node',
    noExternal: [...contained, 'jose'],
    keepNames: true,
  },
  // Both formats share the types, which are compiled once, without members marked @internal.
  { ...shared, dts: { only: true, compilerOptions: { stripInternal: true } }, format: ['esm', 'cjs'] },
]);
