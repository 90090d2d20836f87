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

/** Every goal that was measured beside its figure. */
export function goalsOf({ measured }: Results): Goal[] {
  const { requests, pageCheck, iterations, memory, starts, bundles } = measured;
  const beside = (name: string, inFlight: number) => {
    const found = requests.ratios.find(
      (ratio) => ratio.client === 'corridor-sdk' && ratio.beside === name && ratio.inFlight === inFlight,
    );
    return { perSecond: found?.perSecond.median ?? Number.NaN, processor: found?.processor.median ?? Number.NaN };
  };
  const faster = (latency: number, work: number): number =>
    iterations.find((row) => row.latency === latency && row.work === work)?.faster.median ?? Number.NaN;
  const [kyByHand, fireblocks] = ['ky + WebCrypto by hand', '@fireblocks/ts-sdk'];
  const early = memory.samples.find(({ items }) => items === 10_000)?.heap ?? Number.NaN;
  return [
    ...[1, 64].flatMap((inFlight) => [
      atMost(`CPU relative to ky by hand, ${inFlight} in flight`, 1, beside(kyByHand, inFlight).processor),
      atLeast(`requests/s relative to ky by hand, ${inFlight} in flight`, 1, beside(kyByHand, inFlight).perSecond),
      atLeast(
        `requests/s relative to ky + SignJWT by hand, ${inFlight} in flight`,
        1.1,
        beside('ky + SignJWT by hand', inFlight).perSecond,
      ),
      atMost(`CPU relative to @fireblocks/ts-sdk, ${inFlight} in flight`, 0.7, beside(fireblocks, inFlight).processor),
    ]),
    atMost('page of 100 payments: parsing and validating relative to parsing', 1.35, pageCheck.repeated.median),
    atMost('first page in a new process', 8, pageCheck.first.median, ' ms'),
    atLeast('100 pages, 20 ms latency, 20 ms work: speedup over a loop with ky', 1.55, faster(20, 20)),
    atLeast('100 pages, 0 ms: speedup over a loop with ky', 1, faster(0, 0)),
    atMost(
      'heap after the last item, relative to that after 10,000',
      1.1,
      (memory.samples.at(-1)?.heap ?? Number.NaN) / early,
    ),
    atMost('CPU per item at the end of a million, relative to the start', 1.05, memory.late.median),
    ...starts
      .filter(({ name }) => name === 'corridor-sdk')
      .flatMap(({ node, format, importedRatio, respondedRatio }) => [
        atMost(`import relative to ky + jose + zod alone, Node ${node}, ${format}`, 0.5, importedRatio.median),
        atMost(
          `import to first response relative to ky + jose + zod alone, Node ${node}, ${format}`,
          0.65,
          respondedRatio.median,
        ),
      ]),
    atMost(
      'bundle of a minimal client, minified and gzipped',
      72,
      (bundles.find(({ name }) => name === 'corridor-sdk')?.gzipped ?? Number.NaN) / 1000,
      ' kB',
    ),
    ...mockGoals(measured.mockScale),
    ...exportGoals(measured.exports),
    ...syncGoals(measured.syncs),
    ...fillGoals(measured.fills),
  ].filter(({ figure }) => !figure.startsWith('NaN'));
}

/** The goals of the mock, if they were measured. */
function mockGoals(scale: Results['measured']['mockScale']): Goal[] {
  if (scale === undefined) return [];
  return [
    ...scale.records.flatMap(({ where, payments, seconds, memory, page }) => {
      const name = `mock of ${payments.toLocaleString('en')} payments, ${where}`;
      return [
        atMost(`${name}: CPU time of adding them`, 5, seconds, ' s'),
        atMost(`${name}: memory`, 400, memory / 1e6, ' MB'),
        atMost(`${name}: a page of 100`, 50, page, ' ms'),
      ];
    }),
    atMost('1,000 tests with a mock platform each, in two workers of Vitest', 6, scale.tests.median, ' s'),
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

/** The goals of first fills, if they were measured. */
function fillGoals(fills: Results['measured']['fills']): Goal[] {
  if (fills === undefined) return [];
  const { payments, processor, faster } = fills;
  const [count, relative] = [payments.toLocaleString('en'), processor.relative.median];
  return [
    // 0.09 ms beside 0.07 ms of an export.
    atMost(`first fill of a mirror with ${count} payments: CPU time relative to an export of the same`, 1.3, relative),
    atLeast(
      `first fill of ${count} payments with 100 ms latency, 8 at once: speedup over payments.list`,
      6.5,
      faster.fill.median,
    ),
    atLeast(
      `export of ${count} payments with 100 ms latency, 8 at once: speedup over payments.list`,
      6.5,
      faster.export.median,
    ),
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
