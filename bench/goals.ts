import type { Results } from './results.ts';

/** A goal and the result of the run. */
export interface Goal {
  readonly measure: string;
  readonly goal: string;
  readonly figure: string;
  readonly holds: boolean;
}

const two = (value: number): string => value.toFixed(2);

const atLeast = (measure: string, goal: number, figure: number): Goal => ({
  measure,
  goal: `≥ ${goal}`,
  figure: two(figure),
  holds: figure >= goal,
});
const atMost = (measure: string, goal: number, figure: number, unit = ''): Goal => ({
  measure,
  goal: `≤ ${goal}${unit}`,
  figure: `${two(figure)}${unit}`,
  holds: figure <= goal,
});

/** Every goal beside its figure. */
export function goalsOf({ token, measured }: Results): Goal[] {
  const { requests, pageCheck, iterations, memory, starts, bundles } = measured;
  const beside = (name: string, inFlight: number) => {
    const found = requests.ratios.find(
      (ratio) => ratio.client === 'corridor-sdk' && ratio.beside === name && ratio.inFlight === inFlight,
    );
    return { perSecond: found?.perSecond.median ?? Number.NaN, processor: found?.processor.median ?? Number.NaN };
  };
  const faster = (latency: number, work: number): number =>
    iterations.find((row) => row.latency === latency && row.work === work)?.faster.median ?? Number.NaN;
  const [floor, kyFloor, fireblocks] = ['fetch + WebCrypto by hand', 'ky + WebCrypto by hand', '@fireblocks/ts-sdk'];
  const early = memory.samples.find(({ items }) => items === 10_000)?.heap ?? Number.NaN;
  const product = starts.find(({ name }) => name === 'corridor-sdk');
  const started = (name: string, figure: 'imported' | 'responded'): number =>
    (product?.[figure].median ?? Number.NaN) / (starts.find((row) => row.name === name)?.[figure].median ?? Number.NaN);
  const p50 = (client: string): number =>
    requests.rows.find((row) => row.client === client && row.inFlight === 1)?.p50.median ?? Number.NaN;
  const processor = (client: string): number =>
    requests.rows.find((row) => row.client === client && row.inFlight === 64)?.processor.median ?? Number.NaN;
  // These clients do not sign.
  const unsigned = (client: string): number => (processor('corridor-sdk') - token) / processor(client);
  return [
    atLeast('requests/s relative to a hand-written loop, 1 in flight', 0.9, beside(floor, 1).perSecond),
    atLeast('requests/s relative to a hand-written loop, 64 in flight', 0.87, beside(floor, 64).perSecond),
    atMost('CPU relative to a hand-written loop, 64 in flight', 1.08, beside(floor, 64).processor),
    atLeast('requests/s relative to a loop with ky, 64 in flight', 0.9, beside(kyFloor, 64).perSecond),
    atMost('CPU relative to a loop with ky, 64 in flight', 1.06, beside(kyFloor, 64).processor),
    atLeast('requests/s relative to @fireblocks/ts-sdk, 1 in flight', 1.7, beside(fireblocks, 1).perSecond),
    atLeast('requests/s relative to @fireblocks/ts-sdk, 64 in flight', 3.8, beside(fireblocks, 64).perSecond),
    atMost('CPU relative to @fireblocks/ts-sdk, 64 in flight', 0.44, beside(fireblocks, 64).processor),
    atMost('p50 relative to @fireblocks/ts-sdk, 1 in flight', 0.65, p50('corridor-sdk') / p50(fireblocks)),
    atMost('CPU without the signature relative to openai, 64 in flight', 0.9, unsigned('openai')),
    atMost('CPU without the signature relative to modern-treasury, 64 in flight', 1.05, unsigned('modern-treasury')),
    atMost('CPU without the signature relative to stripe, 64 in flight', 0.95, unsigned('stripe')),
    atMost('page of 100 payments: parsing and validating relative to parsing', 1.35, pageCheck.repeated.median),
    atMost('first page in a new process', 8, pageCheck.first.median, ' ms'),
    atLeast('100 pages, 20 ms latency, 20 ms work: speedup over a loop with ky', 1.55, faster(20, 20)),
    atLeast('100 pages, 0 ms: speedup over a loop with ky', 0.95, faster(0, 0)),
    atMost(
      'heap after the last item, relative to that after 10,000',
      1.1,
      (memory.samples.at(-1)?.heap ?? Number.NaN) / early,
    ),
    atMost('CPU per item at the end of a million, relative to the start', 1.05, memory.late.median),
    atMost('import relative to ky + jose + zod alone', 1.25, product?.importedRatio.median ?? Number.NaN),
    atMost(
      'import to first response relative to ky + jose + zod alone',
      1.15,
      product?.respondedRatio.median ?? Number.NaN,
    ),
    atMost('import relative to @fireblocks/ts-sdk', 0.22, started(fireblocks, 'imported')),
    atMost('import relative to stripe', 0.5, started('stripe', 'imported')),
    atMost('import relative to openai', 0.45, started('openai', 'imported')),
    atMost('import relative to modern-treasury', 1.2, started('modern-treasury', 'imported')),
    atMost('import to first response relative to @fireblocks/ts-sdk', 0.27, started(fireblocks, 'responded')),
    atMost('import to first response relative to openai', 0.5, started('openai', 'responded')),
    atMost('import to first response relative to modern-treasury', 0.85, started('modern-treasury', 'responded')),
    atMost(
      'bundle of a minimal client, minified and gzipped',
      29,
      (bundles.find(({ name }) => name === 'corridor-sdk')?.gzipped ?? Number.NaN) / 1000,
      ' kB',
    ),
    ...exportGoals(measured.exports),
    ...syncGoals(measured.syncs),
  ];
}

/** The goals of mirrors, if they were measured. */
function syncGoals(rows: Results['measured']['syncs']): Goal[] {
  const [small, large] = rows ?? [];
  if (small === undefined || large === undefined) return [];
  return [
    atLeast(
      'first fill of a mirror with 100 ms latency, 8 at once: speedup over payments.list',
      6,
      large.walk / large.seconds,
    ),
    atMost('memory of the first fill', 200, large.memory / 1e6, ' MB'),
    atMost('requests of a run of a mirror without changes, over 6,000 payments', 40, small.idle),
    atMost('requests of it, without one per hundred payments in progress', 10, large.idle - large.open / 100),
  ];
}

/** The goals of exports, if they were measured. */
function exportGoals(rows: Results['measured']['exports']): Goal[] {
  if (rows === undefined) return [];
  const row = (distribution: string, latency: number, way: string, payments = rows[0]?.payments) =>
    rows.find(
      (each) =>
        each.distribution === distribution &&
        each.latency === latency &&
        each.way === way &&
        each.payments === payments,
    );
  const ratio = (one: number | undefined, other: number | undefined): number =>
    (one ?? Number.NaN) / (other ?? Number.NaN);
  const speed = (way: string): number => ratio(row('even', 100, 'list')?.seconds, row('even', 100, way)?.seconds);
  const cost = (distribution: string): number =>
    ratio(row(distribution, 100, '8')?.requests, row(distribution, 100, 'list')?.requests);
  const most = Math.max(...rows.map(({ payments }) => payments));
  return [
    atLeast('export with 100 ms latency, 4 at once: speedup over payments.list', 3.5, speed('4')),
    atLeast('export with 100 ms latency, 8 at once: speedup over payments.list', 6.5, speed('8')),
    atMost('requests of an export relative to payments.list, evenly spread', 1.1, cost('even')),
    atMost('requests of an export relative to payments.list, bursts', 1.35, cost('bursts')),
    atMost(
      'heap of an export of ten times as many payments, relative',
      1.1,
      ratio(row('even', 0, '8', most)?.heap, row('even', 0, '8')?.heap),
    ),
  ];
}
