import { writeSync } from 'node:fs';
import { Corridor, type PaymentCreate } from 'corridor-sdk';
import { SqliteJournal } from 'corridor-sdk/journal/sqlite';

// Creates a payment, and never gets to see its answer: whoever started this ends it in between.
const [, , path = '', payment = ''] = process.argv;
const corridor = new Corridor({
  journal: new SqliteJournal(path),
  async fetch(input, init) {
    const response = await fetch(input, init);
    if (init?.method !== 'POST') return response;
    writeSync(1, `answered ${response.status}\n`);
    return new Promise<Response>(() => setInterval(() => {}, 1_000));
  },
});
await corridor.payments.createOnce(JSON.parse(payment) as PaymentCreate);
writeSync(1, 'returned\n');
