import type { Results } from './results.ts';

/** A goal, and what the run came to. */
export interface Goal {
  readonly measure: string;
  readonly goal: string;
  readonly figure: string;
  readonly holds: boolean;
}

const two = (value: number): string => value.toFixed(2);

/** Every goal beside its figure. */
export function goalsOf({ measured }: Results): Goal[] {
  const { requests, pageCheck, walks, memory, starts, bundles } = measured;
  const beside = (name: string, inFlight: number) => {
    const found = requests.ratios.find((ratio) => ratio.client === 'corridor-sdk' && ratio.beside === name && ratio.inFlight === inFlight);
    return { perSecond: found?.perSecond.median ?? Number.NaN, processor: found?.processor.median ?? Number.NaN };
  };
  const atLeast = (measure: string, goal: number, figure: number): Goal => ({ measure, goal: `≥ ${goal}`, figure: two(figure), holds: figure >= goal });
  const atMost = (measure: string, goal: number, figure: number, unit = ''): Goal => ({ measure, goal: `≤ ${goal}${unit}`, figure: `${two(figure)}${unit}`, holds: figure <= goal });
  const faster = (latency: number, work: number): number => walks.find((walk) => walk.latency === latency && walk.work === work)?.faster.median ?? Number.NaN;
  const [floor, fireblocks] = ['fetch + WebCrypto by hand', '@fireblocks/ts-sdk'];
  const early = memory.samples.find(({ items }) => items === 10_000)?.heap ?? Number.NaN;
  const product = starts.find(({ name }) => name === 'corridor-sdk');
  return [
    atLeast('requests/s over the loop by hand, 1 in flight', 0.9, beside(floor, 1).perSecond),
    atLeast('requests/s over the loop by hand, 64 in flight', 0.87, beside(floor, 64).perSecond),
    atMost('processor over the loop by hand, 64 in flight', 1.08, beside(floor, 64).processor),
    atLeast('requests/s over @fireblocks/ts-sdk, 1 in flight', 1.7, beside(fireblocks, 1).perSecond),
    atLeast('requests/s over @fireblocks/ts-sdk, 64 in flight', 3.8, beside(fireblocks, 64).perSecond),
    atMost('processor over @fireblocks/ts-sdk, 64 in flight', 0.44, beside(fireblocks, 64).processor),
    atMost('page of 100 payments: parse and check over parse', 1.1, pageCheck.compiled.median),
    atMost('the same where code from text is barred', 1.5, pageCheck.withoutEval.median),
    atMost('first page in a fresh process', 8, pageCheck.firstCompiled.median, ' ms'),
    atLeast('100 pages, 20 ms latency, 20 ms work: times as fast as by hand', 1.55, faster(20, 20)),
    atLeast('100 pages, 0 ms: times as fast as by hand', 0.95, faster(0, 0)),
    atMost('heap after the last item over that after 10,000', 1.1, (memory.samples.at(-1)?.heap ?? Number.NaN) / early),
    atMost('processor for an item at the end of a million, over that at the beginning', 1.05, memory.late.median),
    atMost('import over ky + jose + zod alone', 1.25, product?.importedRatio.median ?? Number.NaN),
    atMost('import to first answer over ky + jose + zod alone', 1.15, product?.answeredRatio.median ?? Number.NaN),
    atMost('bundle of a minimal client, minified and gzipped', 40, (bundles.find(({ name }) => name === 'corridor-sdk')?.gzipped ?? Number.NaN) / 1000, ' kB'),
  ];
}
