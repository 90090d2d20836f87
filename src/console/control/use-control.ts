import type { UpstreamSummary } from '../../mock/platform/platform.js';
import { useEffect, useRef, useState } from 'preact/hooks';
import { callControl, ControlCallError, organizationOf, requestControl } from './call.js';
import { reportChange, revision } from './connection.js';
import { notify } from './notices.js';
import { useRoute } from './router.js';
import { createStore, useStore } from './store.js';

/** The result of a call that reads, while it is kept up to date. */
export interface Reading<T> {
  /** Undefined until the first response. An outage keeps it. */
  readonly data: T | undefined;
  readonly error: Error | undefined;
  /** When the data was read, as `performance.now()`. */
  readonly at: number;
}

/** The least and the most milliseconds between two readings of the same records, if they change all the time. */
const [minInterval, maxInterval] = [1_000, 10_000];
/** The wait between two readings as a multiple of the duration of the last one, so that the page slows no test down. */
const waitFactor = 20;

const nothing: Reading<never> = { data: undefined, error: undefined, at: 0 };

/** A call whose result several components show. */
class SharedReading {
  readonly state = createStore<Reading<unknown>>(nothing);
  /** The number of components. */
  users = 0;
  readonly #read: ((etag: string) => Promise<Response>) | undefined;
  #etag = '';
  #startedAt = -Infinity;
  #duration = 0;
  #isPlanned = false;

  /** @param read Sends the call; undefined for none. */
  constructor(read: ((etag: string) => Promise<Response>) | undefined) {
    this.#read = read;
  }

  /** Keeps the result up to date, until the returned function is called. */
  use(): () => void {
    this.users += 1;
    if (this.users === 1) this.plan();
    return () => {
      this.users -= 1;
      if (readings.size <= maxReadings) return;
      for (const [key, { users }] of readings) if (users === 0) readings.delete(key);
    };
  }

  /** Reads at once, or later if the last reading was not long ago. */
  plan(): void {
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    const wait = Math.min(maxInterval, Math.max(minInterval, this.#duration * waitFactor));
    setTimeout(() => void this.#update(), this.#startedAt + wait - performance.now());
  }

  async #update(): Promise<void> {
    // Changes from now on need another reading.
    this.#isPlanned = false;
    if (this.users === 0 || this.#read === undefined) return;
    this.#startedAt = performance.now();
    try {
      const response = await this.#read(this.#etag);
      const at = performance.now();
      this.#duration = at - this.#startedAt;
      if (response.status === 304) return;
      const data: unknown = await response.json();
      this.#etag = response.headers.get('etag') ?? '';
      this.state.set({ data, error: undefined, at });
    } catch (error) {
      const isOutage = error instanceof ControlCallError && error.status === 0;
      const { data, at } = this.state.get();
      if (isOutage && data !== undefined) return;
      this.#etag = '';
      this.state.set({ data: undefined, error: error as Error, at });
    }
  }
}

/** The most readings that are kept. Those of a screen that is shown again appear at once, and also in an outage. */
const maxReadings = 60;
const readings = new Map<string, SharedReading>();

/** Reads all shown records again when something may have changed. */
export function followChanges(): void {
  revision.subscribe(() => {
    for (const reading of readings.values()) if (reading.users > 0) reading.plan();
  });
}

/** Reads from the control API and reads again when something may have changed; nothing without a call. */
export function useControl<T>(call: string | undefined, args: readonly unknown[] = []): Reading<T> {
  useRoute();
  const organization = call === undefined ? undefined : organizationOf(call);
  const key = JSON.stringify([call, args, organization]);
  const read = (etag: string): Promise<Response> => requestControl(call ?? '', args, organization, etag);
  const reading = readings.get(key) ?? new SharedReading(call === undefined ? undefined : read);
  readings.set(key, reading);
  useEffect(() => reading.use(), [reading]);
  return useStore(reading.state) as Reading<T>;
}

/** The real platform behind the server; undefined for a mock, and until it is read. */
export const useUpstream = (): UpstreamSummary | undefined =>
  useControl<UpstreamSummary | null>('upstream').data ?? undefined;

/** A reading of the newest records that a search selects, and a function that reads more of them. */
type Search<T> = Pick<Reading<T>, 'data' | 'error'> & { readonly onMore: () => void };

/** Reads the newest records that a search selects. Keeps them until those of the next search are read. */
export function useSearch<T>(call: string, search: object, pageSize: number): Search<T> {
  const [limit, setLimit] = useState(pageSize);
  const { data, error } = useControl<T>(call, [{ ...search, limit }]);
  const last = useRef<T | undefined>(undefined);
  if (data !== undefined || error !== undefined) last.current = data;
  return { data: last.current, error, onMore: () => setLimit(10 * limit) };
}

/** Performs a change, and says that it is done. */
export async function perform(action: () => Promise<unknown>, done: string): Promise<void> {
  try {
    await action();
    notify('success', done);
  } finally {
    reportChange();
  }
}

/** Calls the control API to change something, and says that it is done. */
export const change = (call: string, args: readonly unknown[], done: string): Promise<void> =>
  perform(() => callControl(call, args), done);
