import type { Page } from './contents.ts';
import type { EndpointPage } from './endpoints/pages.ts';
import { referencePages } from './reference/pages.ts';
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
  /** The sidebar of the pages whose path starts with the key. */
  readonly sidebar: Readonly<Record<string, readonly Group[]>>;
  /** The links of code in pages, such as `payments.create`. */
  readonly names: Readonly<Record<string, string>>;
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
    referencePages,
    ({ path, entry }) =>
      entry.includes('mock')
        ? 'Mock'
        : entry !== 'corridor-sdk' || path === 'journal'
          ? 'Journals and telemetry'
          : ['client', 'errors'].includes(path)
            ? 'Client and errors'
            : 'Namespaces',
    ({ title, path }) => ({ text: title, link: `/reference/${path}` }),
  );
  return { '/endpoints/': calls, '/reference/': reference, '/': guides };
}

function grouped<Item>(items: readonly Item[], groupOf: (item: Item) => string, linkOf: (item: Item) => Link): Group[] {
  return [...Map.groupBy(items, groupOf)].map(([text, members]) => ({ text, items: members.map(linkOf) }));
}
