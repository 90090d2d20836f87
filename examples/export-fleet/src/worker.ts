import { Corridor, type ListedPayment } from 'corridor-sdk';
import type { Pool } from 'pg';
import { openDatabase, openQueue, queueName, type SpanJob } from './queue.ts';

// Exports spans until it is stopped. Run as many workers as you like, on any machines.
const corridor = new Corridor();
const pool = await openDatabase();
const boss = await openQueue();

await boss.work<SpanJob>(queueName, { batchSize: 1, pollingIntervalSeconds: 0.5 }, async ([job]) => {
  if (job === undefined) return;
  let count = 0;
  const exported = corridor.payments.export(job.data.span, { concurrency: 1, signal: job.signal });
  for await (const { items } of exported.pages()) {
    await store(pool, items);
    count += items.length;
  }
  console.log(`${job.data.span.createdTo}: ${count} payments`);
});

// A span that another worker began is exported again: its payments are there already.
async function store(database: Pool, payments: readonly ListedPayment[]): Promise<void> {
  await database.query(
    `insert into payments (id, status, amount, currency, created_at, record)
     select record ->> 'id', record ->> 'status', (record ->> 'amount')::numeric, record ->> 'currencyCode',
       (record ->> 'createdAt')::timestamptz, record
     from jsonb_array_elements($1::jsonb) as record
     on conflict (id) do nothing`,
    [JSON.stringify(payments)],
  );
}

process.once('SIGTERM', () => void boss.stop().then(() => pool.end()));
