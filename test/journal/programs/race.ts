import { once } from 'node:events';
import { Corridor, PaymentOutcomeUnknownError, type CreateOnceResult, type PaymentCreateParams } from 'corridor-sdk';
import { PostgresJournal } from 'corridor-sdk/journal/postgres';
import { Pool } from 'pg';

// One of several processes that use the same quotes. Prints that it is ready, reads its payments from the parent, and
// prints the results.
const [, , connectionString = '', table = ''] = process.argv;
const pool = new Pool({ connectionString, max: 6 });
const corridor = new Corridor({ journal: new PostgresJournal(pool, { table }) });
await Promise.all([corridor.ready(), pool.query('select 1')]);
console.log('ready');

let output = '';
process.stdin.on('data', (part: Buffer) => (output += part.toString()));
await once(process.stdin, 'end');
const waiting = JSON.parse(output) as PaymentCreateParams[];
const paid: Record<string, string> = {};
let created = 0;

// Another process can take longer than a call waits for it.
async function payWithRetries(payment: PaymentCreateParams): Promise<CreateOnceResult> {
  for (;;)
    try {
      return await corridor.payments.createOnce(payment);
    } catch (error) {
      if (!(error instanceof PaymentOutcomeUnknownError) || error.retryAfterMs === undefined) throw error;
    }
}

async function work(): Promise<void> {
  for (let payment = waiting.shift(); payment !== undefined; payment = waiting.shift()) {
    const result = await payWithRetries(payment);
    paid[payment.paymentQuoteId] = result.payment.id;
    if (result.created) created += 1;
  }
}

await Promise.all(Array.from({ length: 20 }, work));
await pool.end();
console.log(JSON.stringify({ paid, created }));
