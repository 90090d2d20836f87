import { posix } from 'node:path';

/** Checks whether a file is code, which has a page of its own: neither a document nor an image or data. */
export const isCode = (path: string): boolean => !/\.(?:md|json|svg|png)$/.test(path);

/**
 * Returns the path of a file of the repository on the site, without an ending for pages: `docs/errors.md` is `errors`,
 * `examples/demo.ts` is `examples/demo`.
 */
export function sitePath(path: string): string {
  const page = path
    .replace(/^docs\/README\.md$/, 'all-pages.md')
    .replace(/^README\.md$/, 'index.md')
    .replace(/^docs\//, '')
    .replace(/^\.github\//, 'project/')
    .replace(/README\.md$/, 'index.md');
  return isPage(path) ? page.replace(/\.(?:md|ts)$/, '').toLowerCase() : page;
}

/** Writes a name in lower case with hyphens: `payments.createOnce` is `payments-create-once`. */
export const kebabCase = (name: string): string =>
  name.replace('.', '-').replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** Rewrites the links of a document, which lead to files of the repository, to pages and files of the site. */
export function siteLinks(path: string, text: string): string {
  return text.replaceAll(/\]\((?!https?:|mailto:|#)([^)#\s]+)(#[^)\s]*)?\)/g, (_, link: string, anchor = '') => {
    const target = posix.join(posix.dirname(path), link);
    const ending = isPage(target) ? '.md' : '';
    return `](/${sitePath(target)}${ending}${anchor})`;
  });
}

const isPage = (path: string): boolean => path.endsWith('.md') || isCode(path);
