import type { Page } from './contents.ts';
import type { EndpointPage } from './endpoints/pages.ts';
import { methodPath } from './reference/arrange.ts';
import { groupOf, referencePages } from './reference/pages.ts';
import { sitePath } from './site-path.ts';

interface Link {
  readonly text: string;
  readonly link: string;
}

/** A group of the sidebar. */
interface Group {
  readonly text: string;
  readonly items: readonly Link[];
}

/** What the configuration of VitePress reads: see vitepress/config.ts. */
export interface SiteData {
  readonly description: string;
  readonly version: string;
  /** The address of the site, which only its host knows. */
  readonly url?: string;
  /** The links below every page, as HTML. */
  readonly footer: string;
  /** The sidebar of the pages whose path starts with the key. */
  readonly sidebar: Readonly<Record<string, readonly Group[]>>;
  /** The links of code in pages, such as `payments.create`. */
  readonly names: Readonly<Record<string, string>>;
}

/** The fields of package.json that the footer shows. The addresses are there in a release. */
interface Manifest {
  readonly name: string;
  readonly license: string;
  readonly repository?: { readonly url: string };
  readonly bugs?: { readonly url: string };
}

/** Returns the links below every page, as HTML. */
export function footerOf({ name, license, repository, bugs }: Manifest): string {
  const links = [
    ['Package', `https://www.npmjs.com/package/${name}`],
    ...(repository === undefined ? [] : [['Repository', repository.url.replace(/^git\+|\.git$/g, '')]]),
    ...(bugs === undefined ? [] : [['Issues', bugs.url]]),
    ['Changelog', '/changelog.html'],
    ['Report a vulnerability', '/project/security.html'],
  ];
  return [...links.map(([text, href]) => `<a href="${href}">${text}</a>`), `${license} License`].join(' · ');
}

/** Returns the addresses of a page and of its picture, as previews of links need them, from that of the site. */
export function addressesOf(url: string, page: string): { readonly page: string; readonly image: string } {
  const base = url.replace(/\/*$/, '/');
  const path = page.replace(/\.md$/, '.html').replace(/(^|\/)index\.html$/, '$1');
  return { page: new URL(path, base).href, image: new URL('images/console-requests.png', base).href };
}

/** The page of the decision table, in the group of the guides about errors. */
export const moneyPage = { text: 'What does this error mean for my money', link: '/money' };

/** Returns the sidebars: of the guides in the order of docs/README.md, of the endpoints, and of the API reference. */
export function sidebars(pages: readonly Page[], endpoints: readonly EndpointPage[]): SiteData['sidebar'] {
  const guides = grouped(
    pages,
    ({ group }) => group,
    ({ title, path }) => ({ text: title, link: `/${sitePath(path).replace(/index$/, '')}` }),
  ).map((group) => ({
    ...group,
    items: group.items.flatMap((item) => (item.link === '/errors' ? [item, moneyPage] : [item])),
  }));
  const calls = grouped(
    endpoints,
    ({ name }) => name.split('.')[0] ?? '',
    ({ name, path }) => ({ text: name, link: `/${path}` }),
  );
  const reference = grouped(
    referencePages.flatMap((page) => [
      { page, path: page.path, text: page.methods === undefined ? page.title : 'Overview and types' },
      ...Object.keys(page.methods ?? {}).map((method) => ({
        page,
        path: methodPath(page.path, method),
        text: method,
      })),
    ]),
    ({ page }) => (page.methods === undefined ? groupOf(page) : page.title),
    ({ path, text }) => ({ text, link: `/reference/${path}` }),
  );
  return {
    '/endpoints': [{ text: 'Endpoints', items: [{ text: 'All endpoints', link: '/endpoints' }] }, ...calls],
    '/reference/': [{ text: 'API reference', items: [{ text: 'All pages', link: '/reference/' }] }, ...reference],
    '/': guides,
  };
}

function grouped<Item>(items: readonly Item[], nameOf: (item: Item) => string, linkOf: (item: Item) => Link): Group[] {
  return [...Map.groupBy(items, nameOf)].map(([text, members]) => ({ text, items: members.map(linkOf) }));
}
