import { useEffect, useState } from 'preact/hooks';
import { connection } from './connection.js';
import type { ClockTime } from './record-types.js';
import { useStore } from './store.js';
import { useControl } from './use-control.js';

/**
 * Returns the time of the selected organization's clock, in milliseconds since the epoch, and whether it runs. The time
 * stands still while the server does not respond.
 */
export function useClock(): { readonly now: number | undefined; readonly running: boolean } {
  const { data, at } = useControl<ClockTime>('clock.now');
  const isLost = useStore(connection).state === 'lost';
  const [now, setNow] = useState<number | undefined>(undefined);
  useEffect(() => {
    if (data === undefined || isLost) return undefined;
    const update = (): void => setNow(Date.parse(data.now) + (data.running ? performance.now() - at : 0));
    update();
    const timer = setInterval(update, 1_000);
    return () => clearInterval(timer);
  }, [data, isLost]);
  return { now, running: data?.running ?? true };
}
