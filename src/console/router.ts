import { createStore, useStore } from './control/store.js';

/** The filters and options of a screen. */
export type Query = Readonly<Record<string, string>>;

/** The shown screen, the id of a record if one is shown, and the query: `#/payments/pay_1?status=APPROVED`. */
export interface Route {
  readonly screen: string;
  readonly id: string | undefined;
  readonly query: Query;
}

function parseHash(): Route {
  const [, screen = 'requests', id, search] = /^#\/([a-z-]+)(?:\/([^?]+))?(?:\?(.*))?$/i.exec(location.hash) ?? [];
  const query = Object.fromEntries(new URLSearchParams(search));
  try {
    return { screen, id: id === undefined ? undefined : decodeURIComponent(id), query };
  } catch {
    // The fragment of a damaged link.
    return { screen, id: undefined, query };
  }
}

const route = createStore<Route>({ screen: 'requests', id: undefined, query: {} });

/** Follows the fragment of the page's URL. */
export function startRouter(): void {
  route.set(parseHash());
  addEventListener('hashchange', () => route.set(parseHash()));
}

/** Returns the current route. */
export function useRoute(): Route {
  return useStore(route);
}

/** Returns the URL of a screen or of a record. */
export function linkTo(screen: string, id?: string, query: Query = {}): string {
  const search = new URLSearchParams(query).toString();
  const path = id === undefined ? `#/${screen}` : `#/${screen}/${encodeURIComponent(id)}`;
  return search === '' ? path : `${path}?${search}`;
}

/** Shows a screen or a record. */
export function navigate(screen: string, id?: string, query?: Query): void {
  location.hash = linkTo(screen, id, query);
}

/** Changes the query of the shown screen without an entry in the history. An empty text removes a parameter. */
export function changeQuery(changes: Query): void {
  const { screen, id, query } = route.get();
  const changed = Object.fromEntries(Object.entries({ ...query, ...changes }).filter(([, value]) => value !== ''));
  history.replaceState(null, '', linkTo(screen, id, changed));
  route.set({ screen, id, query: changed });
}
