import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { fileURLToPath } from 'node:url';
import { figureOf, inTurns, nodeVersions, onNode, ratio, run, type Figure } from '../harness.ts';
import type { Fixture } from '../fixture.ts';

const product = 'corridor-sdk';
const libraries = 'ky + jose + zod';
const peers = ['@fireblocks/ts-sdk', 'stripe', 'openai', 'modern-treasury'] as const;
const names = [product, libraries, 'ky + jose + zod/mini', ...peers] as const;

/** The time of a new process. */
export interface StartRow {
  readonly node: string;
  readonly format: 'ES module' | 'CommonJS';
  readonly name: string;
  /** Milliseconds of the import. */
  readonly imported: Figure;
  /** Milliseconds from before the import to the first response. */
  readonly responded: Figure;
  /** Both, over those of the product's three libraries alone. */
  readonly importedRatio: Figure;
  readonly respondedRatio: Figure;
}

export async function starts(fixture: Fixture, rounds: number): Promise<StartRow[]> {
  const rows: StartRow[] = [];
  for (const format of ['ES module', 'CommonJS'] as const) {
    const program = format === 'ES module' ? 'programs/start.ts' : await buildCommonStart();
    for (const node of nodeVersions) rows.push(...(await onNode(node, () => startsOf({ node, format, program }))));
  }
  return rows;

  async function startsOf({ program, ...of }: Pick<StartRow, 'node' | 'format'> & { readonly program: string }) {
    const taken = { imported: new Map<string, number[]>(), responded: new Map<string, number[]>() };
    await inTurns(rounds + 1, names, async (name, round) => {
      for (const [kind, parameters] of [
        ['imported', [name]],
        ['responded', [name, fixture.url, fixture.privateKey]],
      ] as const) {
        const { wall } = await run<{ readonly wall: number }>(program, parameters);
        // The first round warms the file system's cache.
        if (round > 0) taken[kind].set(name, [...(taken[kind].get(name) ?? []), wall]);
      }
    });
    const timesOf = (kind: keyof typeof taken, name: string): number[] => taken[kind].get(name) ?? [];
    return names.map((name) => ({
      ...of,
      name,
      imported: figureOf(timesOf('imported', name)),
      responded: figureOf(timesOf('responded', name)),
      importedRatio: ratio(timesOf('imported', name), timesOf('imported', libraries)),
      respondedRatio: ratio(timesOf('responded', name), timesOf('responded', libraries)),
    }));
  }
}

/** Builds the program of a start in the format CommonJS, which loads packages by `require` as they are. */
async function buildCommonStart(): Promise<string> {
  const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
  // Where the packages of the bench are found.
  const outfile = at('../node_modules/.cache/start.cjs');
  const { outputFiles } = await build({
    entryPoints: [at('../programs/start.ts')],
    bundle: true,
    platform: 'node',
    format: 'cjs',
    packages: 'external',
    supported: { 'dynamic-import': false },
    plugins: [
      {
        name: product,
        setup: ({ onResolve }) =>
          onResolve({ filter: /dist\/index\.js$/ }, () => ({ path: at('../../dist/index.cjs'), external: true })),
      },
    ],
    write: false,
    logLevel: 'error',
  });
  mkdirSync(dirname(outfile), { recursive: true });
  // In a package of ES modules, esbuild takes what `require` returns for the default export, and ky has one of its own.
  writeFileSync(outfile, (outputFiles[0]?.text ?? '').replaceAll(/(__toESM\(require\("[^"]+"\)), 1\)/g, '$1)'));
  return outfile;
}

/** How large a program of one call is once it is bundled. */
export interface BundleRow {
  readonly name: string;
  readonly minified: number;
  readonly gzipped: number;
}

const programs: Readonly<Record<string, string>> = {
  [product]: `import { Corridor } from '../../dist/index.js'; await new Corridor().customers.get('cus_1');`,
  [libraries]: `import ky from 'ky'; import { SignJWT, importPKCS8 } from 'jose'; import * as z from 'zod'; console.log(ky, SignJWT, importPKCS8, z.object({ id: z.string() }));`,
  'ky + jose + zod/mini': `import ky from 'ky'; import { SignJWT, importPKCS8 } from 'jose'; import * as z from 'zod/mini'; console.log(ky, SignJWT, importPKCS8, z.object({ id: z.string() }));`,
  '@fireblocks/ts-sdk': `import { Fireblocks } from '@fireblocks/ts-sdk'; await new Fireblocks({}).vaults.getVaultAccount({ vaultAccountId: '1' });`,
  stripe: `import Stripe from 'stripe'; await new Stripe('key').customers.retrieve('cus_1');`,
  openai: `import OpenAI from 'openai'; await new OpenAI().models.retrieve('1');`,
  'modern-treasury': `import ModernTreasury from 'modern-treasury'; await new ModernTreasury().counterparties.retrieve('1');`,
};

export async function bundles(): Promise<BundleRow[]> {
  return Promise.all(
    Object.entries(programs).map(async ([name, contents]) => {
      const { outputFiles } = await build({
        stdin: { contents, resolveDir: fileURLToPath(new URL('.', import.meta.url)), loader: 'js' },
        bundle: true,
        minify: true,
        format: 'esm',
        platform: 'node',
        target: 'node22',
        write: false,
        logLevel: 'error',
      });
      const bytes = Buffer.concat(outputFiles.map((file) => file.contents));
      return { name, minified: bytes.length, gzipped: gzipSync(bytes, { level: 9 }).length };
    }),
  );
}

/** The cost of another client. */
export interface ConstructionRow {
  readonly name: string;
  readonly microseconds: Figure;
  readonly bytes: Figure;
}

export async function constructions(fixture: Fixture): Promise<ConstructionRow[]> {
  const rows: ConstructionRow[] = [];
  for (const name of [product, ...peers]) {
    const samples = await run<readonly { readonly microseconds: number; readonly bytes: number }[]>(
      'programs/construction.ts',
      [name, fixture.privateKey],
      ['--expose-gc'],
    );
    rows.push({
      name,
      microseconds: figureOf(samples.map((sample) => sample.microseconds)),
      bytes: figureOf(samples.map((sample) => sample.bytes)),
    });
  }
  return rows;
}
