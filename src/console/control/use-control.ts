import type { UpstreamSummary } from '../../mock/platform/platform.js';
import { useEffect, useRef, useState } from 'preact/hooks';
import { callControl, ControlCallError, organizationOf, requestControl } from './call.js';
import { reportChange, revision } from './connection.js';
import { notify } from './notices.js';
import { useRoute } from './router.js';
import { createStore } from './store.js';

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
/** The wait for the navigation that follows a change: a record that was removed is not read again. */
const changeDelay = 50;
/** The wait between two readings as a multiple of the duration of the last one, so that the page slows no test down. */
const waitFactor = 20;

const nothing: Reading<never> = { data: undefined, error: undefined, at: 0 };

/** A call whose result several components show. */
class SharedReading {
  readonly state = createStore<Reading<unknown>>(nothing);
  /** The number of components. */
  users = 0;
  readonly #read: (etag: string) => Promise<Response>;
  #etag = '';
  #startedAt = -Infinity;
  #duration = 0;
  #isPlanned = false;

  constructor(read: (etag: string) => Promise<Response>) {
    this.#read = read;
  }

  /** Reads after a delay, which is longer if the last reading was not long ago. */
  plan(delay = 0): void {
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    const wait = Math.min(maxInterval, Math.max(minInterval, this.#duration * waitFactor));
    setTimeout(() => void this.#update(), Math.max(delay, this.#startedAt + wait - performance.now()));
  }

  async #update(): Promise<void> {
    // Changes from now on need another reading.
    this.#isPlanned = false;
    // A change that is being sent plans another reading at its end.
    if (this.users === 0 || pending > 0) return;
    if (performance.now() < changedAt + changeDelay) return this.plan(changeDelay);
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

/** The number of changes that are being sent, each of which is reported at its end. */
let pending = 0;
/** When the last change ended, as `performance.now()`. */
let changedAt = -Infinity;

/** Reads all shown records again when something may have changed. */
export function followChanges(): void {
  revision.subscribe(() => {
    if (pending > 0) return;
    for (const reading of readings.values()) if (reading.users > 0) reading.plan(changeDelay);
  });
}

/** Reads from the control API and reads again when something may have changed; nothing without a call. */
export function useControl<T>(call: string | undefined, args: readonly unknown[] = []): Reading<T> {
  useRoute();
  const organization = call === undefined ? undefined : organizationOf(call);
  const key = JSON.stringify([call, args, organization]);
  const [, render] = useState<unknown>(undefined);
  useEffect(() => {
    if (call === undefined) return undefined;
    const reading = readings.get(key) ?? new SharedReading((etag) => requestControl(call, args, organization, etag));
    readings.set(key, reading);
    reading.users += 1;
    if (reading.users === 1) reading.plan();
    const update = (): void => render(reading.state.get());
    update();
    const unsubscribe = reading.state.subscribe(update);
    return () => {
      unsubscribe();
      reading.users -= 1;
      if (readings.size <= maxReadings) return;
      for (const [each, { users }] of readings) if (users === 0) readings.delete(each);
    };
  }, [key]);
  return (readings.get(key)?.state.get() ?? nothing) as Reading<T>;
}

/** The real platform behind the server; undefined for a mock, and until it is read. */
export const useUpstream = (): UpstreamSummary | undefined =>
  useControl<UpstreamSummary | null>('upstream').data ?? undefined;

/** The newest records that a search selects. */
export interface Searched<T> extends Pick<Reading<T>, 'data' | 'error'> {
  /** Reads more of them. */
  readonly onMore: () => void;
}

/** Reads the newest records that a search selects. Keeps them until those of the next search are read. */
export function useSearch<T>(call: string, search: object, pageSize: number): Searched<T> {
  const [limit, setLimit] = useState(pageSize);
  const { data, error } = useControl<T>(call, [{ ...search, limit }]);
  const last = useRef<T | undefined>(undefined);
  if (data !== undefined || error !== undefined) last.current = data;
  return { data: last.current, error, onMore: () => setLimit(10 * limit) };
}

/** Calls the control API to change something, and says that it is done. */
export async function change(call: string, args: readonly unknown[], done: string): Promise<void> {
  pending += 1;
  try {
    await callControl(call, args);
    notify('success', done);
  } finally {
    pending -= 1;
    changedAt = performance.now();
    reportChange();
  }
}
