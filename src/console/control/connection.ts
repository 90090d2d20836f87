import { createStore } from './store.js';

/** Whether the server responds. */
export interface Connection {
  readonly state: 'connecting' | 'live' | 'lost';
  /** When the page tries again, in milliseconds since the epoch. */
  readonly retryAt: number;
}

/** The state of the connection. */
export const connection = createStore<Connection>({ state: 'connecting', retryAt: 0 });
/** Grows when requests, records, faults, behavior or the clock may have changed. */
export const revision = createStore(0);

/** The milliseconds between two attempts to connect: the first one, and the most. */
const [minDelay, maxDelay] = [1_000, 10_000];
/** The milliseconds after which the page asks what changed, because a test may change records in its own process. */
const pollInterval = 5_000;

/** Reports that the shown records may be out of date. */
export function reportChange(): void {
  revision.set(revision.get() + 1);
}

let source: EventSource | undefined;
let retry: ReturnType<typeof setTimeout> | undefined;
let delay = minDelay;

/** Connects to the events of the server, in place of an earlier connection, and again after the connection was lost. */
export function connect(): void {
  clearTimeout(retry);
  source?.close();
  const current = (source = new EventSource('/__mock/events'));
  current.addEventListener('open', () => {
    delay = minDelay;
    connection.set({ state: 'live', retryAt: 0 });
    reportChange();
  });
  current.addEventListener('changed', reportChange);
  current.addEventListener('error', () => {
    // The browser would try again at a time that the page cannot show.
    current.close();
    connection.set({ state: 'lost', retryAt: Date.now() + delay });
    retry = setTimeout(connect, delay);
    delay = Math.min(maxDelay, 2 * delay);
  });
}

/** Asks from time to time what changed, while the page is visible and the server responds. */
export function pollChanges(): void {
  setInterval(() => {
    if (document.visibilityState === 'visible' && connection.get().state === 'live') reportChange();
  }, pollInterval);
}
