import { createStore } from './store.js';
import type { RequestSummary } from './records.js';

/** The requests in the log of the server, oldest first. */
export const requests = createStore<readonly RequestSummary[]>([]);
/** The number of requests that the log dropped before the page read them. */
export const droppedRequests = createStore(0);
/** The number of times that the log of the server started again. */
export const resets = createStore(0);
/** Whether the stream is connected. */
export const connection = createStore<'connecting' | 'live' | 'interrupted'>('connecting');
/** Grows when records, faults, behavior or the clock may have changed. */
export const revision = createStore(0);

/** The most requests that the page keeps, more than the log of the server by default. */
const maxRequests = 20_000;
/** The milliseconds that events are collected before the page renders. */
const renderInterval = 100;
/** The milliseconds after which the shown records are read again, because a test may change them in its own process. */
const pollInterval = 5_000;

let received: RequestSummary[] = [];
let [isReset, hasChanges, isScheduled] = [false, false, false];

function applyEvents(): void {
  isScheduled = false;
  if (isReset) resets.set(resets.get() + 1);
  const known = isReset ? [] : requests.get();
  if (isReset || received.length > 0) {
    // A request whose late commit failed arrives again.
    const ids = new Set(received.map(({ requestId }) => requestId));
    const others = known.filter(({ requestId }) => !ids.has(requestId));
    requests.set([...others, ...received].slice(-maxRequests));
  }
  if (hasChanges || isReset || received.length > 0) reportChange();
  [received, isReset, hasChanges] = [[], false, false];
}

function schedule(): void {
  if (isScheduled) return;
  isScheduled = true;
  setTimeout(applyEvents, renderInterval);
}

/** Reports that the shown records may be out of date. */
export function reportChange(): void {
  revision.set(revision.get() + 1);
}

let source: EventSource | undefined;
let retry: ReturnType<typeof setTimeout> | undefined;

/**
 * Connects to the stream of the server, in place of an earlier connection. The browser reconnects with the last event id,
 * so that no request is missed.
 */
export function connectEvents(): void {
  clearTimeout(retry);
  source?.close();
  const current = (source = new EventSource('/__mock/events'));
  const on = (type: string, handle: (data: never) => void): void =>
    current.addEventListener(type, (event) => {
      handle(JSON.parse((event as MessageEvent<string>).data) as never);
      schedule();
    });
  current.addEventListener('open', () => connection.set('live'));
  current.addEventListener('error', () => {
    connection.set('interrupted');
    // A browser does not reconnect after an error response, such as that of a server that restarts.
    if (current.readyState === EventSource.CLOSED) retry = setTimeout(connectEvents, 2_000);
  });
  on('reset', () => {
    [received, isReset] = [[], true];
    droppedRequests.set(0);
  });
  on('dropped', ({ requests: count }: { readonly requests: number }) =>
    droppedRequests.set(droppedRequests.get() + count),
  );
  on('request', (summary: RequestSummary) => void received.push(summary));
  on('changed', () => (hasChanges = true));
}

/** Reads the shown records again from time to time while the page is visible. */
export function pollChanges(): void {
  setInterval(() => {
    if (document.visibilityState === 'visible') reportChange();
  }, pollInterval);
}
