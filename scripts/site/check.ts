import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { chromium, type Browser, type Page } from 'playwright-core';
import { answers } from './search.ts';

// .ci/with-chromium node scripts/site/check.ts
// Opens the built site in Chromium, whose path is in CORRIDOR_CHROMIUM. No page may scroll sideways or cut code, show an
// entity as text, load anything from another origin, log an error or have the description of another; the guides, and a
// page of each other kind, must have no serious accessibility problem, and all content in landmarks; fonts that arrive
// late must not move the text; code can be copied without a mouse; the search must lead to the guides.
const site = fileURLToPath(new URL('../../.cache/site/', import.meta.url));
const scriptBudget = 150_000;
const guide = '/quickstart.html';
const templates = [
  '/',
  guide,
  '/money.html',
  '/endpoints/payments-create.html',
  '/reference/',
  '/reference/payments.html',
  '/reference/payments/create-once.html',
];
const mediaTypes: Readonly<Record<string, string>> = {
  html: 'text/html',
  js: 'text/javascript',
  css: 'text/css',
  png: 'image/png',
  svg: 'image/svg+xml',
  json: 'application/json',
};

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const problems: string[] = [];
const paths = readdirSync(site, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.html') && path !== '404.html')
  .map((path) => `/${path.replaceAll('\\', '/')}`);
const guides = paths.filter((path) => /^\/(?:cookbook\/)?[\w-]+\.html$/.test(path));
if (paths.length === 0) throw new Error('there is no site in .cache/site; run: npm run docs');

// A server instead of routes of Playwright, which turn the cache of the browser off.
let fontsMayLoad = Promise.resolve();
const server = createServer((request, response) => {
  const path = decodeURIComponent(new URL(request.url ?? '', 'http://localhost').pathname).replace(
    /\/$/,
    '/index.html',
  );
  if (!existsSync(`${site}${path}`)) return response.writeHead(404).end();
  const contentType = mediaTypes[path.split('.').at(-1) ?? ''] ?? 'application/octet-stream';
  const send = (): unknown =>
    response
      .writeHead(200, { 'content-type': contentType, 'cache-control': 'max-age=3600' })
      .end(readFileSync(`${site}${path}`));
  return path.endsWith('.woff2') ? fontsMayLoad.then(send) : send();
}).listen(0, '127.0.0.1');
await once(server, 'listening');
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const browser = await chromium.launch({
  executablePath: process.env['CORRIDOR_CHROMIUM'] ?? '/usr/bin/chromium',
  // Nothing of another origin is reachable.
  args: ['--no-sandbox', '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1'],
});
checkTexts();
try {
  await checkWidths(browser);
  await checkAccessibility(browser, 'light', [...new Set([...templates, ...guides])]);
  await checkAccessibility(browser, 'dark', templates);
  await checkScripts(browser);
  await checkLateFonts(browser);
  await checkTouch(browser);
  await checkInteraction(browser);
} finally {
  await browser.close();
  server.close();
}
for (const problem of problems) console.error(problem);
console.log(`${paths.length} pages in Chromium, ${problems.length} problems`);
if (problems.length > 0) process.exitCode = 1;

/** Opens a tab that loads the site from the folder. Requests to other origins and errors are problems. */
async function openTab(opened: Browser, width: number, theme: 'light' | 'dark'): Promise<Page> {
  const context = await opened.newContext({ viewport: { width, height: 800 }, colorScheme: theme });
  const tab = await context.newPage();
  tab.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(`${origin}/`) && !url.startsWith('data:'))
      problems.push(`${url} is requested from another origin`);
  });
  tab.on('pageerror', (error) => problems.push(`${tab.url()}: ${error.message}`));
  tab.on('console', (message) => {
    if (message.type() === 'error') problems.push(`${tab.url()}: ${message.text()}`);
  });
  return tab;
}

/** No two pages have the same description, and outside of code none shows an entity as text. */
function checkTexts(): void {
  const described = new Map<string, string>();
  for (const path of paths) {
    const html = readFileSync(`${site}${path}`, 'utf8');
    const entities = html.replaceAll(/<pre[^]*?<\/pre>/g, '').match(/.{0,40}&amp;(?:\w+|#\d+);/g) ?? [];
    problems.push(...entities.map((text) => `${path} shows an entity: ${text}`));
    const [, description = ''] = /<meta name="description" content="([^"]*)"/.exec(html) ?? [];
    const other = described.get(description);
    if (other !== undefined) problems.push(`${path} and ${other} have the same description: ${description}`);
    described.set(description, path);
  }
}

/** Every page fits into the width of a phone, a tablet and a desktop, which cuts no table, no line of code and no name. */
async function checkWidths(opened: Browser): Promise<void> {
  const queue = [...paths];
  const visitAll = async (): Promise<void> => {
    const tab = await openTab(opened, 360, 'light');
    for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
      await tab.goto(`${origin}${path}`, { waitUntil: 'load' });
      // The title bar, which is the same on all pages, is narrowest at 768 pixels.
      for (const width of [360, ...(templates.includes(path) ? [768] : []), 1024, 1440]) {
        await tab.setViewportSize({ width, height: 800 });
        const found = await tab.evaluate(cutElements);
        problems.push(...found.map((text) => `${path} at ${width} pixels: ${text}`));
      }
    }
  };
  await Promise.all([visitAll(), visitAll(), visitAll()]);
}

/** Returns what does not fit, in the browser. Tables scroll on screens narrower than a desktop. */
function cutElements(): string[] {
  const page = document.documentElement;
  const cut = (selector: string, isCut: (element: Element) => boolean, what: string): string[] =>
    [...document.querySelectorAll(selector)]
      .filter(isCut)
      .slice(0, 3)
      .map((element) => `${what}: ${element.textContent.trim().slice(0, 60)}`);
  const isWide = ({ scrollWidth, clientWidth }: Element): boolean => scrollWidth > clientWidth;
  return [
    ...(isWide(page) ? [`the page is ${page.scrollWidth} pixels wide`] : []),
    ...cut('.vp-doc pre', isWide, 'a line of code is cut'),
    ...cut('.vp-doc .word', (element) => element.getClientRects().length > 1, 'a name is broken'),
    ...(window.innerWidth < 1440 ? [] : cut('.vp-doc table', isWide, 'a table is cut')),
  ];
}

async function checkAccessibility(
  opened: Browser,
  theme: 'light' | 'dark',
  selected: readonly string[],
): Promise<void> {
  const tab = await openTab(opened, 1280, theme);
  for (const path of selected) {
    await tab.goto(`${origin}${path}`, { waitUntil: 'load' });
    // The script of the page names its buttons.
    await tab.locator('.VPSwitchAppearance[title^="Switch"]').first().waitFor({ state: 'attached' });
    await tab.evaluate(axe);
    const found = (await tab.evaluate(
      'axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => violations)',
    )) as readonly { id: string; impact: string; nodes: readonly { target: unknown; failureSummary: string }[] }[];
    for (const { id, impact, nodes } of found) {
      if (impact !== 'serious' && impact !== 'critical' && !/^(?:landmark|region)/.test(id)) continue;
      const [first] = nodes;
      problems.push(
        `${path} (${theme}): ${id} in ${nodes.length} places, such as ${String(first?.target)}: ${first?.failureSummary.replaceAll('\n', ' ')}`,
      );
    }
  }
}

/** A guide loads little script. */
async function checkScripts(opened: Browser): Promise<void> {
  const tab = await openTab(opened, 1280, 'light');
  let total = 0;
  tab.on('requestfinished', (request) => {
    if (request.resourceType() !== 'script') return;
    total += gzipSync(readFileSync(`${site}${new URL(request.url()).pathname}`)).length;
  });
  await tab.goto(`${origin}${guide}`, { waitUntil: 'networkidle' });
  console.log(`${guide} loads ${Math.round(total / 1000)} kB of script, gzipped`);
  if (total > scriptBudget) problems.push(`${guide} loads more than ${scriptBudget / 1000} kB of script`);
}

/** Fonts that arrive after the first paint do not move the text. */
async function checkLateFonts(opened: Browser): Promise<void> {
  for (const path of templates) {
    const tab = await openTab(opened, 1280, 'light');
    const { promise, resolve } = Promise.withResolvers<void>();
    fontsMayLoad = promise;
    await tab.goto(`${origin}${path}`, { waitUntil: 'commit' });
    await tab.evaluate(async () => {
      const painted = (): boolean => performance.getEntriesByName('first-contentful-paint').length > 0;
      while (!painted()) await new Promise(requestAnimationFrame);
    });
    resolve();
    await tab.waitForLoadState('load');
    const shift = await tab.evaluate(async () => {
      await document.fonts.ready;
      await new Promise(requestAnimationFrame);
      const entries = await new Promise<PerformanceEntryList>((done) => {
        new PerformanceObserver((list) => done(list.getEntries())).observe({ type: 'layout-shift', buffered: true });
        setTimeout(done, 500, []); // there was none
      });
      return entries.reduce((sum, entry) => sum + (entry as PerformanceEntry & { readonly value: number }).value, 0);
    });
    // VitePress moves its title bar by 0.016 when its script starts.
    if (shift > 0.02) problems.push(`${path}: late fonts move the text by ${shift.toFixed(3)}`);
    await tab.context().close();
  }
}

/** On a device without a mouse, the buttons that copy code are visible, and so are the links below a page. */
async function checkTouch(opened: Browser): Promise<void> {
  const context = await opened.newContext({ viewport: { width: 360, height: 800 }, hasTouch: true, isMobile: true });
  const tab = await context.newPage();
  await tab.goto(`${origin}${guide}`, { waitUntil: 'load' });
  const opacity = await tab
    .locator('button.copy')
    .first()
    .evaluate((button) => getComputedStyle(button).opacity);
  if (opacity !== '1') problems.push(`${guide} hides the buttons that copy code on a touch screen`);
  if (!(await tab.locator('.site-links a').first().isVisible())) problems.push(`${guide} has no links below it`);
  await context.close();
}

/** The table of decisions reacts to a click. The search finds a page, shows an excerpt, and leads to guides first. */
async function checkInteraction(opened: Browser): Promise<void> {
  const tab = await openTab(opened, 360, 'dark');
  await tab.goto(`${origin}/money.html`, { waitUntil: 'networkidle' });
  await tab.getByText("error.outcome is 'rejected'").first().click();
  const advice = await tab.locator('.money-decision .result').innerText();
  if (!advice.includes('This call created no payment')) problems.push(`/money.html shows after a click: ${advice}`);
  await tab.locator('.DocSearch-Button').click();
  await tab.locator('.search-input').fill('consistencyWindow');
  const found = await tab.locator('.result .excerpt').first().innerText({ timeout: 10_000 }).catch(String);
  if (!found.includes('consistencyWindow')) problems.push(`the search for consistencyWindow shows: ${found}`);
  for (const [word, path] of Object.entries(answers)) {
    await tab.locator('.search-input').fill(word);
    const first = tab.locator('.results .result').first();
    const isFirst = `.results li:first-child .result[href^="/${path}.html"]`;
    await tab
      .locator(isFirst)
      .waitFor({ timeout: 5_000 })
      .catch(async () => {
        const shown = (await first.count()) === 0 ? 'nothing' : await first.getAttribute('href');
        problems.push(`the search for ${word} shows ${shown} instead of /${path}.html`);
      });
  }
}
