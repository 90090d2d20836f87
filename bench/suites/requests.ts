import { figureOf, inTurns, ratio, Worker, type Figure } from '../harness.ts';
import type { SlotResult } from '../programs/requests.ts';
import type { Fixture } from '../fixture.ts';

const product = 'corridor-sdk';
const floor = 'fetch + WebCrypto by hand';
const kyFloor = 'ky + WebCrypto by hand';
const joseFloor = 'ky + SignJWT by hand';
const sameScheme = '@fireblocks/ts-sdk';
const signing = [product, floor, kyFloor, joseFloor, sameScheme, 'undici + WebCrypto by hand'] as const;
const unsigned = ['stripe', 'openai', 'modern-treasury'] as const;
const clients = [...signing, ...unsigned] as const;
// Clients without signatures are only for comparison, so they take part in one round of several.
const unsignedEvery = 5;

/** One client at one number of requests in flight. */
export interface RequestRow {
  readonly client: string;
  readonly inFlight: number;
  readonly perSecond: Figure;
  /** Milliseconds of processor for a request. */
  readonly processor: Figure;
  readonly p50: Figure;
  readonly p99: Figure;
}

/** One client beside another, in one run. */
export interface RequestRatio {
  readonly client: string;
  readonly beside: string;
  readonly inFlight: number;
  readonly perSecond: Figure;
  readonly processor: Figure;
}

// The last two are bounds: the share of ky in the distance to the hand-written loop, and how far that loop
// itself is ahead.
const pairs = [
  [product, floor],
  [product, sameScheme],
  [product, kyFloor],
  [product, joseFloor],
  [kyFloor, floor],
  [floor, sameScheme],
] as const;

/** Reads of one record of 1 KB, one after another and 64 at once. */
export async function requests(
  fixture: Fixture,
  { rounds, milliseconds }: { readonly rounds: number; readonly milliseconds: number },
): Promise<{ rows: RequestRow[]; ratios: RequestRatio[] }> {
  const workers = new Map(
    clients.map((name) => [name, new Worker('programs/requests.ts', [name, fixture.url, fixture.privateKey])]),
  );
  const slots = new Map<string, SlotResult[]>();
  const slot = async (name: (typeof clients)[number], inFlight: number, length: number): Promise<SlotResult> =>
    (workers.get(name) as Worker).ask({ inFlight, milliseconds: length });
  for (const name of clients) for (const inFlight of [1, 64]) await slot(name, inFlight, milliseconds * 2);
  await inTurns(rounds, clients, async (name, round) => {
    if (round % unsignedEvery !== 0 && !signing.some((each) => each === name)) return;
    for (const inFlight of [1, 64]) {
      const key = `${name}/${inFlight}`;
      slots.set(key, [...(slots.get(key) ?? []), await slot(name, inFlight, milliseconds)]);
    }
  });
  for (const worker of workers.values()) worker.stop();
  const of = (name: string, inFlight: number, value: (result: SlotResult) => number): number[] =>
    (slots.get(`${name}/${inFlight}`) ?? []).map(value);
  const perSecond = (result: SlotResult): number => result.requests / (result.wall / 1000);
  const processor = (result: SlotResult): number => result.processor / result.requests;
  return {
    rows: [1, 64].flatMap((inFlight) =>
      clients.map((client) => ({
        client,
        inFlight,
        perSecond: figureOf(of(client, inFlight, perSecond)),
        processor: figureOf(of(client, inFlight, processor)),
        p50: figureOf(of(client, inFlight, ({ p50 }) => p50)),
        p99: figureOf(of(client, inFlight, ({ p99 }) => p99)),
      })),
    ),
    ratios: [1, 64].flatMap((inFlight) =>
      pairs.map(([client, beside]) => ({
        client,
        beside,
        inFlight,
        perSecond: ratio(of(client, inFlight, perSecond), of(beside, inFlight, perSecond)),
        processor: ratio(of(client, inFlight, processor), of(beside, inFlight, processor)),
      })),
    ),
  };
}
