import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

// Measures the size of the built client in bytes and modules, which do not depend on the load of the machine. Reads
// dist.
const budgets = {
  /**
   * Bytes of a bundled program of one call, minified and gzipped. It grew from 70,000 with what proves that nothing was
   * sent, that an account, a window and a runtime are the expected ones, and that a row is not stale, with the release of
   * damaged intents and of those whose quote another payment has used, with the account of a checkpoint, with hints
   * about settings, with the calls, headers and spellings that replace those of other SDKs and of earlier builds, and
   * with fields that the platform adds later. Of them, about 19,000 are ky and zod, of which the
   * client shares the parts of zod that the mock uses. It grew from 76,900 with one account for a whole run, with what an
   * unknown clock may decide, with `retryable`, and with the acceptance of a payment by a person; from 80,000 with
   * an order that is asked for by its key.
   */
  bundle: 80_500,
  /** Modules that importing the package loads. */
  modules: 14,
  /** Bytes of their text. */
  text: 530_000,
} as const;

const root = fileURLToPath(new URL('../..', import.meta.url));

async function bundled(): Promise<number> {
  const { outputFiles } = await build({
    stdin: {
      contents: "import { Corridor } from './dist/index.js'; await new Corridor().customers.get('cus_1');",
      resolveDir: root,
    },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'node',
    target: 'node22',
    write: false,
    logLevel: 'error',
  });
  return outputFiles.reduce((sum, { contents }) => sum + gzipSync(contents, { level: 9 }).length, 0);
}

/** Counts the modules that Node loads, and the bytes of their text. */
function loaded(): { readonly modules: number; readonly text: number } {
  const program = `
    import { registerHooks } from 'node:module';
    let [modules, text] = [0, 0];
    registerHooks({ load(url, context, next) {
      const result = next(url, context);
      if (url.startsWith('file:')) { modules += 1; text += result.source?.length ?? 0; }
      return result;
    } });
    await import('./dist/index.js');
    console.log(JSON.stringify({ modules, text }));`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: root,
    encoding: 'utf8',
  });
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout) as { readonly modules: number; readonly text: number };
}

const figures = { bundle: await bundled(), ...loaded() };
for (const [name, budget] of Object.entries(budgets)) {
  const figure = figures[name as keyof typeof budgets];
  console.log(`${name}: ${figure} of ${budget}`);
  if (figure > budget) {
    console.error(
      `${name} is over its budget. Find the cause (bench/ reports the parts of the bundle), or raise the budget with a reason`,
    );
    process.exitCode = 1;
  }
}
