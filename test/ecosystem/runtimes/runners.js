import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { listening } from './servers.js';

// Run the suite in a runtime: each resolves with the results and all output.
const folder = fileURLToPath(new URL('.', import.meta.url));
const inBundle = (entry, platform) =>
  build({
    entryPoints: [`${folder}${entry}`],
    bundle: true,
    format: 'esm',
    target: 'es2022',
    platform,
    write: false,
    logLevel: 'error',
  }).then(({ outputFiles: [file] }) => file.text);

/** A program that runs process.js: Node, Bun, Deno. */
export const inProcess =
  (program, parameters, further = {}) =>
  async ({ fixture }) => {
    const { printed, code } = await new Promise((resolve, reject) => {
      const environment = {
        PATH: process.env['PATH'],
        HOME: process.env['HOME'],
        NO_COLOR: '1',
        CORRIDOR_FIXTURE: JSON.stringify({ ...fixture, ...further }),
      };
      const child = spawn(`${folder}${program}`, [...parameters, 'process.js'], {
        cwd: folder,
        env: environment,
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const late = setTimeout(() => child.kill('SIGKILL'), 90_000);
      let text = '';
      for (const stream of [child.stdout, child.stderr])
        stream.setEncoding('utf8').on('data', (part) => (text += part));
      child.on('error', reject);
      child.on('close', (exit) => {
        clearTimeout(late);
        resolve({ printed: text, code: exit });
      });
    });
    const results = /^RESULTS (.*)$/m.exec(printed)?.[1];
    if (results === undefined || code !== 0) throw new Error(`ended with ${code}\n${printed}`);
    return { results: JSON.parse(results), printed: printed.replace(results, '') };
  };

/** workerd, as Miniflare starts it: without the modules of Node. */
export async function inWorkerd({ fixture }) {
  const { Miniflare } = await import('miniflare');
  let printed = '';
  const keep = (stream) => stream.setEncoding('utf8').on('data', (part) => (printed += part));
  const miniflare = new Miniflare({
    modules: true,
    script: await inBundle('worker.js', 'neutral'),
    compatibilityDate: '2026-07-01',
    handleRuntimeStdio: (stdout, stderr) => [stdout, stderr].forEach(keep),
  });
  try {
    const response = await miniflare.dispatchFetch('http://worker/', { method: 'POST', body: JSON.stringify(fixture) });
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}\n${printed}`);
    return { results: await response.json(), printed };
  } finally {
    await miniflare.dispose();
  }
}

/** Chromium of the machine; Debian's package is installed if it is missing and that is allowed. */
export async function inChromium({ forPages }) {
  const { chromium } = await import('playwright-core');
  const script = await inBundle('page.js', 'browser');
  const files = {
    '/': ['text/html', '<!doctype html><title>corridor-sdk</title><script type="module" src="/page.js"></script>'],
    '/page.js': ['text/javascript', script],
    '/mockServiceWorker.js': [
      'text/javascript',
      await readFile(`${folder}node_modules/msw/lib/mockServiceWorker.js`, 'utf8'),
    ],
  };
  const pages = await listening(
    createServer(({ url }, response) => {
      const [type, body] = files[url] ?? [];
      if (body === undefined) response.writeHead(404).end();
      else response.setHeader('content-type', type).end(body);
    }),
  );
  const browser = await chromium.launch({ executablePath: chromiumPath(), args: ['--no-sandbox'] });
  try {
    const page = await browser.newPage();
    const printed = [];
    page.on('console', (message) =>
      printed.push(
        message.text(),
        ...message.args().map((argument) =>
          argument.jsonValue().then(
            (value) => JSON.stringify(value) ?? '',
            () => '',
          ),
        ),
      ),
    );
    page.on('pageerror', (error) => printed.push(String(error)));
    await page.goto(`${pages.url}/`);
    await page.waitForFunction(() => 'runInPage' in globalThis, undefined, { timeout: 10_000 });
    const results = await page.evaluate((fixture) => globalThis.runInPage(fixture), await forPages());
    return { results, printed: (await Promise.all(printed)).join('\n') };
  } finally {
    await browser.close();
    await pages.close();
  }
}

const chromiumPaths = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Returns the path of Chromium, which `.ci/with-chromium` installs; undefined if it is not on this machine. */
export const chromiumPath = () => process.env['CORRIDOR_CHROMIUM'] ?? chromiumPaths.find((path) => existsSync(path));
