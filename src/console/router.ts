import { createStore, useStore } from './control/store.js';

/** The shown screen and, if one is shown, the id of a record: `#/payments/pay_1`. */
export interface Route {
  readonly screen: string;
  readonly id: string | undefined;
}

function parseHash(): Route {
  const [, screen = 'requests', id] = /^#\/([a-z-]+)(?:\/(.+))?$/.exec(location.hash) ?? [];
  try {
    return { screen, id: id === undefined ? undefined : decodeURIComponent(id) };
  } catch {
    // The fragment of a damaged link.
    return { screen, id: undefined };
  }
}

const route = createStore<Route>({ screen: 'requests', id: undefined });

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
export function linkTo(screen: string, id?: string): string {
  return id === undefined ? `#/${screen}` : `#/${screen}/${encodeURIComponent(id)}`;
}

/** Shows a screen or a record. */
export function navigate(screen: string, id?: string): void {
  location.hash = linkTo(screen, id);
}
