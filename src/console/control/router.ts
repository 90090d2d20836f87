import { createStore, useStore } from './store.js';

/** The filters and options of a screen. */
export type Query = Readonly<Record<string, string>>;

/** The shown screen, the id of a record if one is shown, and the query: `#/payments/pay_1?status=APPROVED`. */
export interface Route {
  readonly screen: string;
  readonly id: string | undefined;
  readonly query: Query;
  /** The id of the selected organization, a parameter of the query; undefined for the first one. */
  readonly organization: string | undefined;
}

function parseHash(): Route {
  const [path = '', search] = location.hash.slice(1).split('?');
  const [, screen, id] = path.split('/');
  const { organization, ...query } = Object.fromEntries(new URLSearchParams(search));
  // Unlike `decodeURIComponent`, this accepts a damaged link.
  const [decoded] = new URLSearchParams(id).keys();
  return { screen: screen || 'requests', id: decoded, query, organization };
}

const route = createStore<Route>({ screen: 'requests', id: undefined, query: {}, organization: undefined });

/** Follows the fragment of the page's URL. */
export function startRouter(): void {
  route.set(parseHash());
  addEventListener('hashchange', () => route.set(parseHash()));
}

/** Returns the current route. */
export function useRoute(): Route {
  return useStore(route);
}

/** Returns the current organization, outside components. */
export const selectedOrganization = (): string | undefined => route.get().organization;

/** Shows the records of an organization on the current screen; of the first one without an id. */
export function selectOrganization(organization: string | undefined): void {
  const { screen, query } = route.get();
  location.hash = urlOf({ screen, id: undefined, query, organization });
}

/** Returns the URL of a screen or of a record, by default of the selected organization. */
export function linkTo(
  screen: string,
  id?: string,
  query: Query = {},
  organization: string | undefined = selectedOrganization(),
): string {
  return urlOf({ screen, id, query, organization });
}

function urlOf({ screen, id, query, organization }: Route): string {
  const search = new URLSearchParams({ ...query, ...(organization !== undefined && { organization }) }).toString();
  const path = id === undefined ? `#/${screen}` : `#/${screen}/${encodeURIComponent(id)}`;
  return search === '' ? path : `${path}?${search}`;
}

/** Shows the list without the details of a record, at once. */
export function closeDetails(): void {
  const next = { ...route.get(), id: undefined };
  history.pushState(null, '', urlOf(next));
  route.set(next);
}

/** Changes the query of the shown screen without an entry in the history. An empty text removes a parameter. */
export function changeQuery(changes: Query): void {
  const { query, ...rest } = route.get();
  const changed = Object.fromEntries(Object.entries({ ...query, ...changes }).filter(([, value]) => value !== ''));
  const next = { ...rest, query: changed };
  history.replaceState(null, '', urlOf(next));
  route.set(next);
}
