import { expect, onTestFinished, test, vi } from 'vitest';
import { AbortedError, Corridor, type ChangesCheckpoint, type PaymentStatus } from 'corridor-sdk';
import { createMockPlatform, paymentTransitions, type MockPaymentInput, type MockPlatform } from 'corridor-sdk/mock';
import { openStatuses } from '../../support/open-statuses.ts';
import { RandomSource } from '../../support/random-source.ts';
import { virtualOptions, VirtualTime } from '../../support/virtual-time.ts';

const minutes = 60_000;
const open: readonly string[] = openStatuses;

/** A platform with ten thousand payments, 600 of them open, and its transitions. */
class ManyPayments {
  readonly platform: MockPlatform;
  readonly moves: Moved[] = [];
  readonly #time: VirtualTime;
  readonly #random = new RandomSource(7);
  readonly #statuses = new Map<string, PaymentStatus>();
  readonly #restUntil = new Map<string, number>();
  readonly #shared: MockPaymentInput;

  constructor(time: VirtualTime) {
    this.#time = time;
    this.platform = createMockPlatform({ now: time.now });
    const { customerId, beneficiaryId, paymentQuoteId } = this.platform.payments.createParams();
    this.#shared = { customerId, beneficiaryId, paymentQuoteId, documentIds: [] };
    for (let index = 0; index < 10_000; index += 1)
      this.#add(statusOf(index), index < 5_000 ? index * 5 * minutes + 10 * minutes : index * 30 * minutes);
  }

  get open(): number {
    return [...this.#statuses.values()].filter((status) => open.includes(status)).length;
  }

  #add(status: PaymentStatus, age: number): string {
    const { id } = this.platform.payments.add({
      ...this.#shared,
      status,
      createdAt: new Date(this.#time.now() - age).toISOString(),
    });
    // Of those that ended, those of the last two weeks may yet be returned.
    if (open.includes(status) || (status === 'COMPLETED' && age < 14 * 24 * 60 * minutes))
      this.#statuses.set(id, status);
    return id;
  }

  /**
   * A thousand transitions over four hours, and a new payment every minute or so; no payment moves twice within 25
   * minutes.
   */
  async live(): Promise<void> {
    const random = this.#random;
    for (let transitions = 0; transitions < 1_000; transitions += 1) {
      await this.#time.wait(random.below(28_800));
      if (random.hits(0.3)) this.#note(this.#add('PENDING_REVIEW', 0), undefined, 'PENDING_REVIEW');
      const isOpen = !random.hits(0.03);
      const movable = [...this.#statuses].filter(
        ([id, status]) =>
          (status !== 'COMPLETED') === isOpen &&
          open.includes(status) === isOpen &&
          (this.#restUntil.get(id) ?? 0) <= this.#time.now(),
      );
      const [id, status] = random.pick(movable);
      const to = random.pick(paymentTransitions[status]);
      this.platform.payments.transition(id, to);
      this.#note(id, status, to);
    }
  }

  #note(id: string, from: PaymentStatus | undefined, to: PaymentStatus): void {
    this.#statuses.set(id, to);
    this.#restUntil.set(id, this.#time.now() + 25 * minutes);
    this.moves.push({ id, from, to });
  }
}

interface Moved {
  readonly id: string;
  readonly from: string | undefined;
  readonly to: string;
}

function statusOf(index: number): PaymentStatus {
  if (index < 1_200 && index % 2 === 0) return open[(index / 2) % open.length] as PaymentStatus;
  if (index % 100 === 1) return 'RETURNED';
  return (['COMPLETED', 'REJECTED', 'COMPLETED', 'CANCELLED'] as const)[index % 4] as PaymentStatus;
}

/** The requests of a poll. */
interface Poll {
  requests: number;
  ended: number;
  /** The transitions while it read its lists: a list that was read before may not show the payment. */
  moved: number;
  readonly open: number;
  readonly fails: boolean;
}

/** A fetch with which every tenth poll fails, each time at a different request. */
function failingEveryTenthPoll(time: VirtualTime, many: ManyPayments, polls: Poll[]): typeof globalThis.fetch {
  let movesBefore = 0;
  return (input, init) => {
    const { searchParams } = new URL(String(input));
    const isFirst =
      searchParams.has('createdFrom') &&
      !searchParams.has('createdTo') &&
      !searchParams.has('status') &&
      !searchParams.has('cursor');
    if (isFirst) {
      movesBefore = many.moves.length;
      polls.push({ requests: 0, ended: 0, moved: 0, open: many.open, fails: polls.length % 10 === 9 });
    }
    const poll = polls.at(-1);
    if (poll?.fails === true && poll.requests >= Math.floor(polls.length / 10) % 9)
      return Promise.resolve(new Response(null, { status: 503 }));
    if (poll !== undefined) {
      poll.requests += 1;
      poll.moved = many.moves.length - movesBefore;
    }
    return time.busy(() => many.platform.fetch(input, init));
  };
}

async function untilAborted(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof AbortedError)) throw error;
  }
}

test('changes() over 10,000 payments reports each of 1,000 transitions once, while every tenth poll fails and the process restarts twice', async () => {
  // Signatures take most of the time of thousands of requests, and are not what is tested here.
  const verify = vi.spyOn(crypto.subtle, 'verify').mockResolvedValue(true);
  onTestFinished(() => verify.mockRestore());
  const time = new VirtualTime();
  const many = new ManyPayments(time);
  const { privateKey: _privateKey, ...clientOptions } = many.platform.clientOptions();
  const polls: Poll[] = [];
  const reported: Moved[] = [];

  await time.run(async () => {
    const over = new AbortController();
    void time
      .wait(1 * minutes)
      .then(() => many.live())
      .then(() => time.wait(10 * minutes))
      .then(() => over.abort());
    let stored: string | undefined;
    for (const dies of [300, 700, Infinity]) {
      const corridor = new Corridor({
        ...clientOptions,
        signer: () => Promise.resolve(new Uint8Array(256)),
        ...virtualOptions(time, failingEveryTenthPoll(time, many, polls)),
        maxRetries: 0,
      });
      const since = stored === undefined ? undefined : (JSON.parse(stored) as ChangesCheckpoint);
      const feed = corridor.payments.changes({ since, pollInterval: 90_000, signal: over.signal });
      await untilAborted(async () => {
        for await (const { payment, previousStatus, checkpoint } of feed) {
          reported.push({ id: payment.id, from: previousStatus, to: payment.status });
          const poll = polls.at(-1);
          if (poll !== undefined && !open.includes(payment.status)) poll.ended += 1;
          stored = JSON.stringify(checkpoint);
          if (reported.length === dies) break;
        }
      });
      await time.wait(10 * minutes);
    }
  });

  const lines = (list: readonly Moved[]): string[] =>
    list.map(({ id, from, to }) => `${id}: ${from ?? 'new'} -> ${to}`).toSorted();
  expect(many.moves.filter(({ from }) => from !== undefined)).toHaveLength(1_000);
  expect(lines(reported)).toEqual(lines(many.moves));

  // One for new payments, one for each open status, one for returns; one more per hundred on their way, and one per
  // payment that has ended, or that moved meanwhile. Returns are read once more when the longest time to completion
  // grows by a day.
  const whole = polls.filter(({ fails }) => !fails);
  expect(polls.length - whole.length).toBeGreaterThan(10);
  const more = whole.map(
    ({ requests, open, ended, moved }) => requests - (openStatuses.length + 2) - Math.floor(open / 100) - ended - moved,
  );
  expect(Math.max(...more)).toBeLessThanOrEqual(1);
  expect(more.filter((count) => count === 1).length).toBeLessThan(30);
}, 600_000);
