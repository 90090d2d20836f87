import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { localLinks } from './local-links.ts';

/** A file of the site. */
export interface SitePage {
  readonly path: string;
  readonly html: string;
}

/** Returns the broken links of pages within the site: missing files and missing anchors. */
function brokenLinks(pages: readonly SitePage[], exists: (path: string) => boolean): string[] {
  const places = new Map(
    pages.map(({ path, html }) => [
      path,
      new Set([...html.matchAll(/\s(?:id|name)="([^"]+)"/g)].map(([, id = '']) => unescaped(id))),
    ]),
  );
  return pages.flatMap(({ path, html }) =>
    [...html.matchAll(/\s(?:href|src)="([^"]*)"/g)].flatMap(([, written = '']) => {
      const link = unescaped(written);
      if (/^[a-z]+:/i.test(link)) return [];
      const [file = '', place = ''] = link.split('#');
      const target = file === '' ? path : targetOf(path, decodeURIComponent(file.split('?')[0] ?? ''));
      if (!exists(target)) return [`${path}: ${link} does not exist`];
      if (place === '' || places.get(target)?.has(decodeURIComponent(place)) !== false) return [];
      return [`${path}: ${link} has no matching anchor`];
    }),
  );
}

/** Returns the file that a link leads to, from the root of the site. */
function targetOf(path: string, link: string): string {
  const target = link.startsWith('/') ? link.slice(1) : posix.join(posix.dirname(path), link);
  return target === '' || target.endsWith('/') ? `${target}index.html` : posix.normalize(target);
}

/** The same for a site in a folder. */
export function brokenLinksIn(folder: string): string[] {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => path.replaceAll('\\', '/'));
  const pages = paths
    .filter((path) => path.endsWith('.html'))
    .map((path) => ({ path, html: readFileSync(`${folder}/${path}`, 'utf8') }));
  const exists = (path: string): boolean => existsSync(`${folder}/${path}`);
  const copies = paths
    .filter((path) => path.endsWith('.md'))
    .flatMap((path) =>
      localLinks(path, readFileSync(`${folder}/${path}`, 'utf8'))
        .filter((target) => !exists(target))
        .map((target) => `${path}: ${target} does not exist`),
    );
  return [...brokenLinks(pages, exists), ...copies];
}

const unescaped = (text: string): string =>
  text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
