import { once } from 'node:events';
import { Corridor, type PaymentCreate } from 'corridor-sdk';
import { PostgresJournal } from 'corridor-sdk/journal/postgres';
import { Pool } from 'pg';

// One of several that pay the same quotes at the same time. It says that it is ready, begins when it is told what to pay, and says what it got.
const [, , connectionString = '', table = ''] = process.argv;
const pool = new Pool({ connectionString, max: 6 });
const corridor = new Corridor({ journal: new PostgresJournal(pool, { table }) });
await Promise.all([corridor.ready(), pool.query('select 1')]);
console.log('ready');

let told = '';
process.stdin.on('data', (part: Buffer) => (told += part.toString()));
await once(process.stdin, 'end');
const waiting = JSON.parse(told) as PaymentCreate[];
const paid: Record<string, string> = {};
let created = 0;

async function work(): Promise<void> {
  for (let payment = waiting.shift(); payment !== undefined; payment = waiting.shift()) {
    const result = await corridor.payments.createOnce(payment);
    paid[payment.paymentQuoteId] = result.payment.id;
    if (result.created) created += 1;
  }
}

await Promise.all(Array.from({ length: 20 }, work));
await pool.end();
console.log(JSON.stringify({ paid, created }));
