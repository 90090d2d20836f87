import { makers } from '../clients/makers.ts';

// One client in a separate process: runs the parent's measurement for a number of seconds and reports the cost.

/** The cost of one slot. */
export interface SlotResult {
  readonly requests: number;
  /** Milliseconds. */
  readonly wall: number;
  /** Milliseconds of all this process's threads. */
  readonly processor: number;
  /** Milliseconds of a request, the middle one and the slowest of a hundred. */
  readonly p50: number;
  readonly p99: number;
}

const [name = '', url = '', privateKey = ''] = process.argv.slice(2);
const read = await (makers[name] as (typeof makers)[string])({ url, privateKey });

async function slot(inFlight: number, milliseconds: number): Promise<SlotResult> {
  const durations: number[] = [];
  const end = performance.now() + milliseconds;
  const used = process.cpuUsage();
  const began = performance.now();
  const work = async (): Promise<void> => {
    while (performance.now() < end) {
      const start = performance.now();
      await read();
      durations.push(performance.now() - start);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, work));
  const wall = performance.now() - began;
  const { user, system } = process.cpuUsage(used);
  durations.sort((one, other) => one - other);
  const at = (share: number): number => durations[Math.floor(durations.length * share)] ?? Number.NaN;
  return { requests: durations.length, wall, processor: (user + system) / 1000, p50: at(0.5), p99: at(0.99) };
}

process.on('message', ({ inFlight, milliseconds }: { readonly inFlight: number; readonly milliseconds: number }) => {
  void slot(inFlight, milliseconds).then((result) => process.send?.(result));
});
process.send?.('ready');
