import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { serveMockPlatform } from 'corridor-sdk/mock/node';
import { build } from 'esbuild';
import webpack from 'webpack';

const folder = fileURLToPath(new URL('.', import.meta.url));
const run = promisify(execFile);
let served;
before(async () => {
  served = await serveMockPlatform({ seed: 1 });
  served.platform.payments.addMany(30);
});
after(() => served.close());

const bundlers = {
  esbuild: async (entry, file, format) =>
    build({
      entryPoints: [`${folder}${entry}`],
      outfile: file,
      bundle: true,
      minify: true,
      format,
      platform: 'neutral',
      mainFields: ['module', 'main'],
      target: 'es2022',
      absWorkingDir: folder,
      logLevel: 'error',
    }),
  webpack: (entry, file, format) =>
    new Promise((resolve, reject) => {
      const asModule = format === 'esm';
      const compiler = webpack({
        mode: 'production',
        context: folder,
        entry: `${folder}${entry}`,
        target: asModule ? 'es2022' : 'node',
        experiments: { outputModule: asModule },
        output: {
          path: `${folder}out`,
          filename: file.slice(`${folder}out/`.length),
          module: asModule,
          chunkFormat: asModule ? 'module' : 'commonjs',
        },
        externalsPresets: { node: true },
      });
      compiler.run((error, stats) => {
        const failure =
          error ??
          (stats.hasErrors() || stats.hasWarnings()
            ? new Error(stats.toString({ all: false, errors: true, warnings: true }))
            : undefined);
        compiler.close(() => (failure === undefined ? resolve() : reject(failure)));
      });
    }),
};

for (const [name, bundle] of Object.entries(bundlers)) {
  for (const [format, ending] of [
    ['esm', 'mjs'],
    ['cjs', 'cjs'],
  ]) {
    test(`a bundle of ${name}, ${format}: client and mock`, async () => {
      const file = `${folder}out/${name}-mock.${ending}`;
      await bundle('client-and-mock.js', file, format);

      const { stdout } = await run(process.execPath, [file], { cwd: '/' });

      assert.equal(stdout, '30 true NotFoundError rejected\n');
    });
  }

  test(`a bundle of ${name}: the client alone, without the mock and without Node's modules`, async (t) => {
    const file = `${folder}out/${name}-client.mjs`;
    await bundle('client.js', file, 'esm');
    const { baseUrl, apiKey, privateKey } = await served.credentials();

    const { stdout } = await run(process.execPath, [file], {
      cwd: '/',
      env: { ...process.env, CORRIDOR_BASE_URL: baseUrl, CORRIDOR_API_KEY: apiKey, CORRIDOR_PRIVATE_KEY: privateKey },
    });

    const text = await readFile(file, 'utf8');
    assert.equal(stdout.trim().split('\n').length, 30);
    assert.doesNotMatch(text, /MockPlatformError|from ?["']node:/);
    t.diagnostic(`${Math.round(gzipSync(text).length / 1024)} kB compressed`);
  });
}
