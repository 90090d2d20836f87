import { createStore } from './store.js';

/** Whether the server responds. */
export const connection = createStore<'connecting' | 'live' | 'lost'>('connecting');
/** Grows when requests, records, faults, behavior or the clock may have changed. */
export const revision = createStore(0);

/** The milliseconds after which the page asks what changed, because a test may change records in its own process. */
const pollInterval = 5_000;

/** Reports that the shown records may be out of date. */
export function reportChange(): void {
  revision.set(revision.get() + 1);
}

let source: EventSource | undefined;

/** Connects to the events of the server, in place of an earlier connection. */
export function connect(): void {
  source?.close();
  source = new EventSource('/__mock/events');
  source.addEventListener('open', () => {
    connection.set('live');
    reportChange();
  });
  source.addEventListener('changed', reportChange);
  source.addEventListener('error', () => connection.set('lost'));
}

/** Asks from time to time what changed, while the page is visible and the server responds. */
export function pollChanges(): void {
  setInterval(() => {
    // The browser connects again by itself, unless the server responded with an error.
    if (source?.readyState === EventSource.CLOSED) connect();
    if (document.visibilityState === 'visible' && connection.get() === 'live') reportChange();
  }, pollInterval);
}
