import { useEffect, useRef, useState } from 'preact/hooks';
import { callControl, callControlForText } from './call.js';
import { reportChange, revision } from './event-stream.js';
import { notify } from './notices.js';
import { selectedOrganization, useRoute } from './router.js';
import { useStore } from './store.js';

/** The result of a call that reads, while it is kept up to date. */
export interface Reading<T> {
  /** Undefined until the first response. */
  readonly data: T | undefined;
  readonly error: Error | undefined;
}

/** Reads a record, which is null if it does not exist. Reads nothing without an id. */
export function useRecord<T>(kind: string, id: string | undefined): Reading<T | null> {
  return useControl<T | null>(id === undefined ? undefined : `${kind}.get`, [id]);
}

/** The milliseconds between two readings of the same records. */
const minInterval = 400;
/** The wait between two readings as a multiple of the duration of the last one, for platforms with many records. */
const waitFactor = 8;

/**
 * Reads from the control API and reads again when something may have changed. `scope` is `platform` for calls that
 * accept no organization.
 */
export function useControl<T>(
  call: string | undefined,
  args: readonly unknown[] = [],
  scope: 'platform' | 'organization' = 'organization',
): Reading<T> {
  const { organization } = useRoute();
  const current = useStore(revision);
  const target = scope === 'platform' ? undefined : organization;
  const key = JSON.stringify([call, args, target]);
  const [state, setState] = useState<Reading<T> & { readonly key: string }>({ key, data: undefined, error: undefined });
  // Under load, changes arrive faster than responses: only a change of the call makes a response obsolete.
  const latest = useRef({ key: '', at: 0, cost: 0, text: '' });
  useEffect(() => {
    if (call === undefined) return;
    const reading = latest.current;
    const since = performance.now() - reading.at;
    const delay = reading.key === key ? Math.max(0, minInterval, reading.cost * waitFactor) - since : 0;
    if (reading.key !== key) Object.assign(reading, { key, cost: 0, text: '' });
    const read = async (): Promise<void> => {
      reading.at = performance.now();
      try {
        const text = await callControlForText(call, args, target);
        if (reading.key !== key) return;
        reading.cost = performance.now() - reading.at;
        if (text !== reading.text) setState({ key, data: JSON.parse(text) as T, error: undefined });
        reading.text = text;
      } catch (error) {
        if (reading.key !== key) return;
        reading.text = '';
        setState({ key, data: undefined, error: error as Error });
      }
    };
    const timer = setTimeout(() => void read(), Math.max(0, delay));
    return () => clearTimeout(timer);
  }, [key, current]);
  return state.key === key ? state : { data: undefined, error: undefined };
}

/** Calls the control API to change something, reports the result, and returns whether it succeeded. */
export async function change(
  call: string,
  args: readonly unknown[],
  done: string,
  scope: 'platform' | 'organization' = 'organization',
): Promise<boolean> {
  try {
    await callControl(call, args, scope === 'platform' ? undefined : selectedOrganization());
    notify('success', done);
    return true;
  } catch (error) {
    notify('failure', (error as Error).message);
    return false;
  } finally {
    reportChange();
  }
}
