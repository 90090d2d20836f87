import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { endpointNames } from 'corridor-sdk';
import { contents } from './contents.ts';
import { exampleOf } from './endpoints/examples.ts';
import { endpointPage, type OpenApi } from './endpoints/pages.ts';
import { brokenLinksIn } from './link-check.ts';
import { writeLlms } from './llms.ts';
import { footerOf, moneyPage, sidebars, type SiteData } from './navigation.ts';
import { homePage } from './pages/home.ts';
import { moneyText } from './pages/money.ts';
import { buildReference } from './reference/build.ts';
import { siteLinks } from './site-path.ts';
import { otherFiles, stagedPages, withFrontMatter } from './stage.ts';

// npm run docs [-- --serve] [-- --url=https://docs.example.com]
// Builds the documentation as a site in .cache/site: the documents, a page for each endpoint and the API reference.
const root = fileURLToPath(new URL('../..', import.meta.url));
const tool = `${root}scripts/site/`;
const source = `${root}.cache/site-source/`;
const site = `${root}.cache/site/`;
const read = (path: string): string => readFileSync(`${root}${path}`, 'utf8');
const write = (path: string, text: string): void => {
  mkdirSync(posix.dirname(path), { recursive: true });
  writeFileSync(path, text);
};

const pages = contents(root);
const manifest = JSON.parse(read('package.json')) as Parameters<typeof footerOf>[0] & {
  readonly version: string;
  readonly description: string;
};
const { version, description } = manifest;
const openapi = JSON.parse(read('docs/openapi.json')) as OpenApi;
const rows = siteLinks('docs/endpoints.md', read('docs/endpoints.md'))
  .split('\n')
  .map((line) => line.split('|').map((cell) => cell.trim()));
const rowOf = (name: string): { readonly call: string; readonly guides: string } => {
  const [, , cell = '', , guides] = rows.find((cells) => cells[2]?.includes(`<br>\`corridor.${name}(`) === true) ?? [];
  if (guides === undefined) throw new Error(`docs/endpoints.md has no row for ${name}`);
  return { call: cell.slice(cell.indexOf('<br>') + '<br>'.length), guides };
};
const endpoints = await Promise.all(
  endpointNames.map(async (name) => endpointPage(name, rowOf(name), await exampleOf(name), openapi)),
);

rmSync(source, { recursive: true, force: true });
const all = { path: 'docs/README.md', title: 'All pages', summary: 'Every page of the documentation', group: '' };
for (const { path, text } of stagedPages([all, ...pages], read)) write(`${source}${path}.md`, text);
for (const { path, text, title, description: about } of endpoints)
  write(`${source}${path}.md`, withFrontMatter({ title, description: about }, text));
write(
  `${source}money.md`,
  withFrontMatter(
    { title: moneyPage.text, description: 'Whether money has moved after an error, and what to do next.' },
    moneyText(),
  ),
);
write(
  `${source}index.md`,
  siteLinks('scripts/site/pages/index.md', await homePage(readFileSync(`${tool}pages/index.md`, 'utf8'), root)),
);
cpSync(`${tool}pages/favicon.svg`, `${source}public/favicon.svg`);
for (const file of otherFiles(pages, read))
  if (existsSync(`${root}${file}`)) cpSync(`${root}${file}`, `${source}public/${file.replace(/^docs\//, '')}`);
const names = await buildReference(root, `${source}reference/`);

const url = process.argv.find((arg) => arg.startsWith('--url='))?.slice('--url='.length);
const data: SiteData = {
  version,
  ...(url !== undefined && { url }),
  description,
  sidebar: sidebars(pages, endpoints),
  footer: footerOf(manifest),
  names: {
    ...Object.fromEntries(names),
    ...Object.fromEntries(endpoints.map(({ endpoint, path }) => [endpoint, `/${path}.html`])),
  },
};
writeFileSync(`${root}.cache/site-data.json`, JSON.stringify(data));
write(`${source}.vitepress/config.ts`, `export { default } from '${tool}vitepress/config.ts';\n`);
write(`${source}.vitepress/theme/index.ts`, `export { default } from '${tool}vitepress/theme.ts';\n`);

install();
execFileSync(process.execPath, [`${tool}node_modules/vitepress/bin/vitepress.js`, 'build', source], {
  cwd: root,
  stdio: ['ignore', 'ignore', 'inherit'],
});
writeLlms(site, { pages, endpoints, description, read, root });

const broken = brokenLinksIn(site);
for (const line of broken) console.error(line);
if (broken.length > 0) process.exit(1);
console.log('The site is in .cache/site. To see it, run: npm run docs -- --serve');
if (process.argv.includes('--serve'))
  execFileSync(process.execPath, [`${tool}node_modules/vitepress/bin/vitepress.js`, 'preview', source], {
    cwd: root,
    stdio: 'inherit',
  });

/** Installs VitePress, unless it was installed since its lock file changed. */
function install(): void {
  const installed = `${tool}node_modules/.package-lock.json`;
  const isCurrent =
    existsSync(installed) && statSync(installed).mtimeMs >= statSync(`${tool}package-lock.json`).mtimeMs;
  if (!isCurrent)
    execFileSync('npm', ['ci', '--silent', '--ignore-scripts', '--prefix', tool], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
}
