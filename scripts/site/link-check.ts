import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';

/** A file of the site. */
export interface SitePage {
  readonly path: string;
  readonly html: string;
}

/** The links of pages that lead nowhere, within the site: a file that is not there, or a place that the page does not have. */
export function brokenLinks(pages: readonly SitePage[], exists: (path: string) => boolean): string[] {
  const places = new Map(pages.map(({ path, html }) => [path, new Set([...html.matchAll(/\s(?:id|name)="([^"]+)"/g)].map(([, id = '']) => unescaped(id)))]));
  return pages.flatMap(({ path, html }) => [...html.matchAll(/\s(?:href|src)="([^"]*)"/g)].flatMap(([, written = '']) => {
    const link = unescaped(written);
    if (/^[a-z]+:/i.test(link)) return [];
    const [file = '', place = ''] = link.split('#');
    const target = file === '' ? path : posix.normalize(posix.join(posix.dirname(path), decodeURIComponent(file.split('?')[0] ?? '')));
    if (!exists(target)) return [`${path}: ${link} is not there`];
    if (place === '' || places.get(target)?.has(decodeURIComponent(place)) !== false) return [];
    return [`${path}: ${link} leads to no place of that page`];
  }));
}

/** The same for a site in a folder. */
export function brokenLinksIn(folder: string): string[] {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => path.replaceAll('\\', '/'));
  const pages = paths.filter((path) => path.endsWith('.html')).map((path) => ({ path, html: readFileSync(`${folder}/${path}`, 'utf8') }));
  return brokenLinks(pages, (path) => existsSync(`${folder}/${path}`));
}

const unescaped = (text: string): string => text.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
