import { posix } from 'node:path';
import type { Page } from './contents.ts';
import { localLinks } from './local-links.ts';
import { isCode, siteLinks, sitePath } from './site-path.ts';

/** A page of the site as VitePress reads it. */
export interface StagedPage {
  /** Its path on the site, without the ending. */
  readonly path: string;
  readonly text: string;
}

/** The fields that VitePress reads at the top of a page. */
export type FrontMatter = Readonly<Record<string, string | boolean>>;

/** Returns the pages of the documents, and a page for each file of code that they link to. */
export function stagedPages(pages: readonly Page[], read: (path: string) => string): StagedPage[] {
  const code = [...new Set(pages.flatMap(({ path }) => localLinks(path, read(path))))].filter(isCode).toSorted();
  return [
    ...pages.map(({ path, title, summary }) => ({
      path: sitePath(path),
      text: withFrontMatter({ title, description: sentence(summary) }, plainText(siteLinks(path, read(path)))),
    })),
    ...code.map((path) => ({
      path: sitePath(path),
      text: withFrontMatter(
        { title: posix.basename(path), description: `The source of ${path}.`, search: path.startsWith('examples/') },
        `# ${posix.basename(path)}\n\n\`${path}\`\n\n\`\`\`${languageOf(path)}\n${read(path)}\`\`\`\n`,
      ),
    })),
  ];
}

/** Returns the files other than pages and code that the documents link to or show. */
export function otherFiles(pages: readonly Page[], read: (path: string) => string): string[] {
  const files = pages.flatMap(({ path }) => localLinks(path, read(path)));
  return [...new Set(files)].filter((file) => !file.endsWith('.md') && !isCode(file));
}

/** Escapes everything outside of code that VitePress would read as an element other than a line break, attributes or an expression. */
function plainText(text: string): string {
  return text.replaceAll(/^( *)(```+)[^]*?^\1\2 *$|`[^`\n]*`|<(?!!--|br>)|\{/gm, (found) =>
    found === '<' ? '&lt;' : found === '{' ? '&#123;' : found,
  );
}

/** Adds front matter to the text of a page. */
export function withFrontMatter(fields: FrontMatter, text: string): string {
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  return ['---', ...lines, '---', '', text].join('\n');
}

/** Makes a sentence of the summary of a page. */
function sentence(summary: string): string {
  const plain = summary.replaceAll('`', '').replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1');
  return `${plain.charAt(0).toUpperCase()}${plain.slice(1)}${plain.endsWith('.') ? '' : '.'}`;
}

/** Returns the language of a file of code, for highlighting: `ts`, or `dockerfile` for a `Dockerfile`. */
function languageOf(path: string): string {
  return (posix.extname(path).slice(1) || posix.basename(path)).toLowerCase();
}
