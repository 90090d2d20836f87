import { Corridor, type Journal, type PaymentCreateParams } from 'corridor-sdk';
import { PostgresJournal } from 'corridor-sdk/journal/postgres';
import { SqliteJournal } from 'corridor-sdk/journal/sqlite';
import { Pool } from 'pg';

// Pays an order, loses the response, and is killed at the point of that number: before or after a call of the journal or
// a request.
const [, , place = '', table = '', killedAt = '', order = '', idempotencyKey = ''] = process.argv;
const inner: Journal =
  table === '' ? new SqliteJournal(place) : new PostgresJournal(new Pool({ connectionString: place }), { table });
let points = 0;

async function around<T>(work: () => Promise<T>): Promise<T> {
  pass();
  const result = await work();
  pass();
  return result;
}

function pass(): void {
  points += 1;
  if (points !== Number(killedAt)) return;
  process.kill(process.pid, 'SIGKILL');
  for (;;);
}

const corridor = new Corridor({
  totalTimeout: 5_000,
  journal: {
    supportsIdempotencyKeys: true,
    claim: (intent) => around(() => inner.claim(intent)),
    findByKey: async (key) => inner.findByKey?.(key),
    resolve: (intent, resolution) => around(() => inner.resolve(intent, resolution)),
    listPending: () => around(() => inner.listPending()),
  },
  async fetch(input, init) {
    const response = await around(() => fetch(input, init));
    if (init?.method !== 'POST') return response;
    throw new TypeError('fetch failed', { cause: Object.assign(new Error('reset'), { code: 'ECONNRESET' }) });
  },
});
const { created, payment } = await corridor.payments.createOnce(JSON.parse(order) as PaymentCreateParams, {
  idempotencyKey,
});
console.log(JSON.stringify({ created, id: payment.id, points }));
process.exit();
