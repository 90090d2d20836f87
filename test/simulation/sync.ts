import { Corridor } from 'corridor-sdk';
import { createMockPlatform } from 'corridor-sdk/mock';
import { SqliteMirror } from 'corridor-sdk/mirror/sqlite';
import { RandomSource } from './random-source.ts';

type Row = Record<string, unknown>;

const hour = 3_600_000;
const statuses: readonly string[] = ['PENDING_REVIEW', 'APPROVED', 'PROCESSING', 'COMPLETED', 'RETURNED'];

/**
 * Lets processes that are killed keep a mirror of a platform that changes, and a ledger read its changes, with stale and
 * odd rows, statuses that no version knows, and clocks that step. Returns what is not as docs/sync.md promises.
 */
export async function simulateSync(seed: number): Promise<readonly string[]> {
  const random = new RandomSource(seed);
  const chance = (probability: number): boolean => random.next() < probability;
  const below = (count: number): number => Math.floor(random.next() * count);
  const platform = createMockPlatform({ seed });
  platform.populate({ customers: 1 + below(3), beneficiaries: 1 + below(4), payments: below(30) });
  const mirror = new SqliteMirror(':memory:');
  const [hasStale, hasOdd, hasUnknown, hasSteps] = [chance(0.5), chance(0.4), chance(0.4), chance(0.3)];
  const earlier = new Map<string, Row>();
  const failures: string[] = [];
  let step = 0;
  let isQuiet = false;

  const createClient = (): Corridor =>
    new Corridor({
      ...platform.clientOptions(),
      now: () => platform.clock.now() + step,
      async fetch(input, init) {
        const response = await platform.fetch(input, init);
        const page = (await response.json()) as { items?: (Row | null)[] };
        if (
          response.status === 200 &&
          Array.isArray(page.items) &&
          new URL(new Request(input, init).url).pathname.endsWith('/payment')
        ) {
          page.items = page.items.map((item) => {
            const id = String(item?.['id']);
            const shown = hasUnknown && item?.['memo'] === 'hold' ? { ...item, status: 'ON_HOLD' } : item;
            const known = earlier.get(id);
            if (shown !== null && (known === undefined || chance(0.5))) earlier.set(id, shown);
            return !isQuiet && hasStale && known !== undefined && chance(0.1) ? known : shown;
          });
          if (hasOdd && !isQuiet && chance(0.3)) page.items.push([{ id: '' }, null, { id: 'a\0' }][below(3)] ?? null);
        }
        return Response.json(page, { status: response.status, headers: response.headers });
      },
    });

  const change = (): void => {
    for (let count = below(4); count > 0; count -= 1) {
      const payments = platform.payments.all();
      const payment = payments[below(payments.length)];
      if (payment === undefined || chance(0.3))
        platform.payments.addMany(1 + below(3), () => ({ status: 'PENDING_REVIEW' }));
      else if (chance(0.1)) platform.payments.remove(payment.id);
      else if (chance(0.4)) platform.payments.update(payment.id, { memo: chance(0.2) ? 'hold' : `memo ${below(9)}` });
      else {
        const index = statuses.indexOf(payment.status);
        const next = index === -1 ? undefined : statuses[index + 1];
        if (next !== undefined) platform.payments.transition(payment.id, next as 'APPROVED');
      }
    }
    const customers = platform.customers.all();
    const customer = customers[below(customers.length)];
    if (customer !== undefined && chance(0.2))
      platform.customers.update(customer.id, { status: chance(0.5) ? 'REJECTED' : 'APPROVED' });
  };

  // A ledger that stores the position with each row, and is killed between two changes.
  const ledger = new Map<string, string | null>();
  let [position, sequence] = ['0', 0];
  const consume = async (limit: number): Promise<void> => {
    let count = 0;
    for await (const each of mirror.changes({ after: position, once: true })) {
      const key = `${each.record}:${each.id}`;
      if (each.sequence !== sequence + 1) failures.push(`after change ${sequence} came ${each.sequence}`);
      if ((ledger.get(key) ?? null) !== each.previousStatus)
        failures.push(
          `${key} was ${ledger.get(key) ?? 'new'}, and change ${each.sequence} says ${each.previousStatus ?? 'new'}`,
        );
      ledger.set(key, each.status);
      [position, sequence] = [each.position, each.sequence];
      if ((count += 1) >= limit) return;
    }
  };

  const sync = async (full: boolean, killAfter: number): Promise<void> => {
    const stop = new AbortController();
    let batches = 0;
    const onProgress = (): void => {
      if ((batches += 1) >= killAfter) stop.abort();
    };
    await createClient()
      .sync(mirror, { once: true, full, signal: stop.signal, onProgress })
      .catch((error: unknown) => {
        if (!stop.signal.aborted) throw error;
      });
  };

  for (let round = 0; round < 12; round += 1) {
    change();
    if (hasSteps) step = [0, hour, -hour, 5 * hour][below(4)] ?? 0;
    await sync(chance(0.2), chance(0.5) ? 1 + below(8) : Number.POSITIVE_INFINITY);
    if (chance(0.7)) await consume(chance(0.5) ? 1 + below(5) : Number.POSITIVE_INFINITY);
    platform.clock.advance({ seconds: below(600) });
  }
  isQuiet = true;
  step = 0;
  for (let run = 0; run < 3; run += 1) {
    platform.clock.advance({ minutes: 10 });
    await sync(true, Number.POSITIVE_INFINITY);
  }
  await consume(Number.POSITIVE_INFINITY);
  const dry = await createClient().sync(mirror, { once: true, full: true, dryRun: true });
  if (dry.differences.length + dry.heldBack.length > 0)
    failures.push(`differences are left: ${JSON.stringify(dry.differences)} ${JSON.stringify(dry.heldBack)}`);
  for (const { id, status, memo } of platform.payments.all()) {
    const expected = hasUnknown && memo === 'hold' ? 'ON_HOLD' : status;
    const stored = (await mirror.stored('payment', id))['status'];
    if (stored !== expected) failures.push(`payment ${id} is ${expected}, and ${String(stored)} in the mirror`);
    if (ledger.get(`payment:${id}`) !== expected)
      failures.push(`payment ${id} is ${expected}, and ${ledger.get(`payment:${id}`)} in the ledger`);
  }
  for (const { id, status } of platform.customers.all())
    if (ledger.get(`customer:${id}`) !== status)
      failures.push(`customer ${id} is ${status}, and ${ledger.get(`customer:${id}`)} in the ledger`);
  const { open } = await mirror.status();
  if (Date.parse(String(open.asOf)) > platform.clock.now() + 2_000)
    failures.push(`open.asOf is in the future: ${open.asOf}`);
  mirror.close();
  return failures;
}
