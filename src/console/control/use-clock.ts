import { useEffect, useState } from 'preact/hooks';
import { connection } from './connection.js';
import type { ClockTime } from '../../mock/control/calls.js';
import { formatSpan } from '../format/text.js';
import { useStore } from './store.js';
import { useControl } from './use-control.js';

/** The clocks of two machines may differ by as many milliseconds. */
const tolerance = 5_000;

/**
 * Returns the time of the selected organization's clock, in milliseconds since the epoch, whether it runs, and how it
 * differs from the real time, such as `+2 d`, if it does. The time stands still while the server does not respond.
 */
export function useClock(): {
  readonly now: number | undefined;
  readonly running: boolean;
  readonly moved: string | undefined;
} {
  const { data, at } = useControl<ClockTime>('clock.now');
  const isLost = useStore(connection) === 'lost';
  const [now, setNow] = useState<number | undefined>(undefined);
  useEffect(() => {
    if (data === undefined || isLost) return undefined;
    const update = (): void => setNow(Date.parse(data.now) + (data.running ? performance.now() - at : 0));
    update();
    const timer = setInterval(update, 1_000);
    return () => clearInterval(timer);
  }, [data, isLost]);
  const offset = now === undefined ? 0 : now - Date.now();
  const moved = `${offset < 0 ? '−' : '+'}${formatSpan(Math.abs(offset))}`;
  return { now, running: data?.running ?? true, moved: Math.abs(offset) > tolerance ? moved : undefined };
}
