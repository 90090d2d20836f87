import { readFileSync } from 'node:fs';

type Conditions = Readonly<Record<'import' | 'require', { readonly types: string; readonly default: string }>>;

/** One entry of the package: `corridor-sdk`, `corridor-sdk/mock`, … */
export interface PackageEntry {
  /** The name within the package: `.`, `./mock`. */
  readonly name: string;
  /** The files of the entry, by import condition. */
  readonly files: Conditions;
}

const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  readonly exports: Readonly<Record<string, Conditions | string>>;
};

/** The entries that package.json exports, without package.json itself. */
export const packageEntries: readonly PackageEntry[] = Object.entries(manifest.exports).flatMap(([name, files]) =>
  typeof files === 'string' ? [] : [{ name, files }],
);
