import { useEffect, useState } from 'preact/hooks';
import type { ClockTime } from './records.js';
import { useControl } from './use-control.js';

/** Returns the time of the mock's clock, in milliseconds since the epoch, and whether it runs. */
export function useClock(): { readonly now: number | undefined; readonly running: boolean } {
  const { data } = useControl<ClockTime>('clock.now', [], 'platform');
  const [reading, setReading] = useState<{ readonly data: ClockTime; readonly at: number } | undefined>(undefined);
  const [, tick] = useState(0);
  useEffect(() => {
    if (data !== undefined) setReading({ data, at: performance.now() });
  }, [data]);
  useEffect(() => {
    const timer = setInterval(() => tick((count) => count + 1), 1_000);
    return () => clearInterval(timer);
  }, []);
  if (reading === undefined) return { now: undefined, running: true };
  const { now, running } = reading.data;
  return { now: Date.parse(now) + (running ? performance.now() - reading.at : 0), running };
}
