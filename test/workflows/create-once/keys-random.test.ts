import * as fc from 'fast-check';
import {
  CorridorError,
  MemoryJournal,
  type CreateOnceResult,
  type Journal,
  type PaymentCreateRequest,
} from 'corridor-sdk';
import { expect, test } from 'vitest';
import {
  connectionError,
  type CreateHandler,
  errorResponse,
  FaultyPlatform,
  notProcessed,
  processed,
  processedLater,
} from '../../support/faulty-platform.ts';

const [second, minute, hour] = [1_000, 60_000, 3_600_000];
const [orderCount, maxFates] = [2, 6];

/** What the platform makes of a create request. It accepts every quote any number of times. */
const handlers: Readonly<Record<string, () => CreateHandler>> = {
  creates: () => (creation) => creation.commit(),
  'creates, and the response is lost': () => processed(connectionError('ECONNRESET')),
  'creates, and never responds': () => processed('hang'),
  'creates in 4 s, after the connection broke': () => processedLater(4 * second),
  'creates in 3 min, after the connection broke': () => processedLater(3 * minute),
  'receives nothing': () => notProcessed(connectionError('ECONNRESET')),
  'never responds': () => notProcessed('hang'),
  'was not reached': () => notProcessed(connectionError('ECONNREFUSED', 'connect')),
  'rejects the quote': () => notProcessed(errorResponse(422)),
  'limits the rate': () => notProcessed(errorResponse(429, { 'retry-after': '3' })),
  fails: () => notProcessed(errorResponse(503)),
};

interface Step {
  readonly process: number;
  readonly order: number;
  readonly quote: number;
  /** How long the others wait after this call began, in milliseconds. */
  readonly pause: number;
  /** Whether the process is killed after the pause. */
  readonly isKilled: boolean;
}

const step: fc.Arbitrary<Step> = fc.record({
  process: fc.nat(2),
  order: fc.nat(orderCount - 1),
  quote: fc.nat(2),
  pause: fc.constantFrom(0, 1, 500, 2 * second, 7 * second, 2 * minute),
  isKilled: fc.boolean(),
});

const never = new Promise<never>(() => {});

/** A process that can be killed: it then sends nothing anymore, and its journal changes nothing anymore. */
class Process {
  isAlive = true;
  readonly payments;

  constructor(faulty: FaultyPlatform, shared: Journal) {
    const alive = async <T>(work: () => Promise<T>): Promise<T> => {
      if (!this.isAlive) return never;
      const result = await work();
      return this.isAlive ? result : never;
    };
    const journal: Journal = {
      supportsIdempotencyKeys: true,
      claim: (intent) => alive(() => shared.claim(intent)),
      findByKey: (key) => alive(async () => shared.findByKey?.(key)),
      resolve: (intent, resolution) => alive(() => shared.resolve(intent, resolution)),
      listPending: () => alive(() => shared.listPending()),
    };
    const { signal } = this.#killed;
    this.payments = faulty.client({ journal }).payments;
    this.signal = signal;
  }

  readonly signal: AbortSignal;
  readonly #killed = new AbortController();

  kill(): void {
    this.isAlive = false;
    this.#killed.abort();
  }
}

test('whatever happens, a key creates at most one payment, and at most one call reports that it created it', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 1, maxLength: 8 }),
      fc.array(fc.constantFrom(...Object.keys(handlers)), { maxLength: maxFates }),
      fc.constantFrom(0, 4 * second, 40 * second),
      async (steps, names, lag) => {
        const faulty = new FaultyPlatform({ quotes: 'reusable', quoteLifetime: 7 * 24 * 3_600 }).onCreate(
          ...names.map((name) => (handlers[name] as () => CreateHandler)()),
        );
        faulty.lag = lag;
        const journal = new MemoryJournal();
        const orders = Array.from({ length: orderCount }, () => {
          const first = faulty.payable();
          const { customerId, beneficiaryId } = first;
          return [first, faulty.payable({ customerId, beneficiaryId }), faulty.payable({ customerId, beneficiaryId })];
        });
        const processes: Process[] = [];
        const results: CreateOnceResult[][] = orders.map(() => []);
        const unexpected: unknown[] = [];
        const pay = async (index: number, number: number, quote: number): Promise<void> => {
          let process = processes[number];
          if (process?.isAlive !== true) process = processes[number] = new Process(faulty, journal);
          const order = orders[index]?.[quote] as PaymentCreateRequest;
          const { signal } = process;
          await process.payments.createOnce(order, { idempotencyKey: `order-${index}`, signal }).then(
            (result) => void results[index]?.push(result),
            (error: unknown) => {
              if (!(error instanceof CorridorError)) unexpected.push(error);
            },
          );
        };

        for (const { process, order, quote, pause, isKilled } of steps) {
          void pay(order, process, quote);
          await faulty.pass(pause);
          if (isKilled) processes[process]?.kill();
        }
        // Later, the order is tried again and again, and a person asks the platform about what is still open.
        for (let round = 0; round <= maxFates; round += 1) {
          await faulty.pass(2 * hour);
          const { payments } = new Process(faulty, journal);
          for (const { intent, status } of await faulty.run(() => payments.reconcilePending()))
            if (status === 'not-found' || status === 'unknown')
              await faulty.run(() => payments.releaseIntent(intent, { confirmedBy: 'Ada' }));
          for (const index of orders.keys()) await faulty.run(() => pay(index, 3, round % 3));
        }

        expect(unexpected).toEqual([]);
        for (const [index, [order]] of orders.entries()) {
          const made = faulty.payments.filter(({ customerId }) => customerId === order?.customerId);
          expect(made).toHaveLength(1);
          expect(new Set(results[index]?.map(({ payment }) => payment.id))).toEqual(new Set(made.map(({ id }) => id)));
          expect(results[index]?.filter(({ created }) => created).length).toBeLessThanOrEqual(1);
        }
      },
    ),
    { numRuns: 20 },
  );
});
