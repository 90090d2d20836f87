import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { fileURLToPath } from 'node:url';
import { figureOf, inTurns, ratio, run, type Figure } from '../harness.ts';
import type { Fixture } from '../fixture.ts';

const product = 'corridor-sdk';
const libraries = 'ky + jose + zod';
const peers = ['@fireblocks/ts-sdk', 'stripe', 'openai', 'modern-treasury'] as const;
const names = [product, libraries, 'ky + jose + zod/mini', ...peers] as const;

/** The time of a new process. */
export interface StartRow {
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
  const taken = { imported: new Map<string, number[]>(), responded: new Map<string, number[]>() };
  await inTurns(rounds + 1, names, async (name, round) => {
    for (const [kind, parameters] of [
      ['imported', [name]],
      ['responded', [name, fixture.url, fixture.privateKey]],
    ] as const) {
      const { wall } = await run<{ readonly wall: number }>('programs/start.ts', parameters);
      // The first round warms the file system's cache.
      if (round > 0) taken[kind].set(name, [...(taken[kind].get(name) ?? []), wall]);
    }
  });
  const of = (kind: keyof typeof taken, name: string): number[] => taken[kind].get(name) ?? [];
  return names.map((name) => ({
    name,
    imported: figureOf(of('imported', name)),
    responded: figureOf(of('responded', name)),
    importedRatio: ratio(of('imported', name), of('imported', libraries)),
    respondedRatio: ratio(of('responded', name), of('responded', libraries)),
  }));
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
