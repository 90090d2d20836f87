import { defineConfig, type Options } from 'tsup';

const entry = {
  index: 'src/index.ts',
  'journal/postgres': 'src/journal/postgres.ts',
  'journal/sqlite': 'src/journal/sqlite.ts',
  'mock/index': 'src/mock/index.ts',
  'mock/msw': 'src/mock/msw.ts',
  'mock/node': 'src/mock/node.ts',
  'mock/vitest': 'src/mock/vitest.ts',
};

const shared: Options = { entry, target: 'es2022', sourcemap: false, clean: false, treeshake: true };

// Packages by where they are linked, not by where they lie: that stands in comments, and would differ from one machine to another.
const withoutPlaces: NonNullable<Options['esbuildOptions']> = (options) => Object.assign(options, { preserveSymlinks: true });

export default defineConfig([
  // The command has no types, and shares its pieces with the entries: each command loads only what it needs.
  { ...shared, entry: { ...entry, 'cli/index': 'src/cli/index.ts' }, format: ['esm'], splitting: true },
  // ky and jose are ESM only, and Jest's CommonJS cannot require them: the CommonJS build carries them.
  { ...shared, format: ['cjs'], splitting: false, platform: 'node', noExternal: ['ky', 'jose'], esbuildOptions: withoutPlaces },
  // The types are the same for both, and are compiled once.
  { ...shared, dts: { only: true }, format: ['esm', 'cjs'] },
]);
