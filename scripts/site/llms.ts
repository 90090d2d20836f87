import { posix } from 'node:path';
import type { Page } from './contents.ts';

/** The list of pages for programs that read, after https://llmstxt.org: what this is, and each page as markdown. */
export function llmsList(pages: readonly Page[], description: string): string {
  const groups = [...new Set(pages.map(({ group }) => group))];
  const sections = groups.map((group) => {
    const items = pages.filter((page) => page.group === group).map(({ path, title, summary }) => `- [${title}](${markdownPath(path)}): ${summary}`);
    return `## ${group}\n\n${items.join('\n')}\n`;
  });
  return `# corridor-sdk\n\n> ${description}\n\n- [README](${markdownPath('README.md')}): install, credentials, and the shortest programs\n- [All pages in one file](llms-full.txt)\n\n${sections.join('\n')}`;
}

/** All pages in one text, each with its file's name. */
export function llmsText(pages: readonly Page[], read: (path: string) => string): string {
  return ['README.md', ...pages.map(({ path }) => path)].map((path) => `<!-- ${path} -->\n\n${read(path).trim()}\n`).join('\n');
}

/** Where a document lies on the site, as markdown. */
export function markdownPath(path: string): string {
  return posix.join('markdown', path);
}
