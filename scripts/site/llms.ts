import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { posix } from 'node:path';
import type { Page } from './contents.ts';
import type { EndpointPage } from './endpoints/pages.ts';
import { localLinks } from './local-links.ts';
import { moneyPage } from './navigation.ts';
import { moneyText } from './pages/money.ts';

/** The list of pages for programs (https://llmstxt.org): a summary, and each page as markdown. */
export function llmsList(pages: readonly Page[], description: string, endpoints: readonly EndpointPage[] = []): string {
  const groups = [...new Set(pages.map(({ group }) => group))];
  const sections = groups.map((group) => {
    const items = pages
      .filter((page) => page.group === group)
      .map(({ path, title, summary }) => `- [${title}](${markdownPath(path)}): ${summary}`);
    return `## ${group}\n\n${items.join('\n')}\n`;
  });
  const calls = endpoints.map(
    ({ path, title, endpoint }) => `- [${title}](${markdownPath(`${path}.md`)}): ${endpoint}`,
  );
  if (calls.length > 0) sections.push(`## Endpoints\n\n${calls.join('\n')}\n`);
  return `# corridor-sdk\n\n> ${description}\n\n- [README](${markdownPath('README.md')}): install, credentials, and the shortest programs\n- [${moneyPage.text}](${markdownPath('money.md')}): for each error, and what to do next\n- [All pages in one file](llms-full.txt)\n\n${sections.join('\n')}`;
}

/** All pages in one text, each with its file's name. */
export function llmsText(pages: readonly Page[], read: (path: string) => string): string {
  return ['README.md', ...pages.map(({ path }) => path)]
    .map((path) => `<!-- ${path} -->\n\n${read(path).trim()}\n`)
    .join('\n');
}

/** Returns the path of a document on the site, as markdown. */
function markdownPath(path: string): string {
  return posix.join('markdown', path);
}

/** Returns the plain markdown of a page that exists only on the site, without its elements and links from the root. */
function plainMarkdown(path: string, text: string): string {
  const folder = posix.dirname(path);
  return text
    .replaceAll(/^(?::::.*|<[A-Z]\w* \/>)\n\n/gm, '')
    .replaceAll(/^```(\w+) \[.*\]$/gm, '```$1')
    .replaceAll(/\]\(\/([^)#]+)/g, (_, page: string) => {
      return `](${posix.relative(folder, page === 'money.md' ? page : posix.join('docs', page))}`;
    });
}

interface LlmsSources {
  readonly root: string;
  readonly pages: readonly Page[];
  readonly endpoints: readonly EndpointPage[];
  readonly description: string;
  readonly read: (path: string) => string;
}

/** Writes llms.txt, llms-full.txt and all pages as markdown, with the files that they link to, into the site. */
export function writeLlms(site: string, { root, pages, endpoints, description, read }: LlmsSources): void {
  const texts = ['README.md', 'docs/README.md', ...pages.map(({ path }) => path)];
  const linked = texts.flatMap((path) => localLinks(path, read(path)));
  for (const path of new Set([...texts, ...linked]))
    if (existsSync(`${root}${path}`)) cpSync(`${root}${path}`, `${site}${markdownPath(path)}`, { recursive: true });
  mkdirSync(`${site}${markdownPath('endpoints')}`, { recursive: true });
  const ownPages = [
    ...endpoints.map(({ path, text }) => ({ path: `${path}.md`, text })),
    { path: 'money.md', text: moneyText() },
  ];
  for (const { path, text } of ownPages) writeFileSync(`${site}${markdownPath(path)}`, plainMarkdown(path, text));
  writeFileSync(`${site}llms.txt`, llmsList(pages, description, endpoints));
  writeFileSync(`${site}llms-full.txt`, llmsText(pages, read));
}
