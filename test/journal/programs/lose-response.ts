import { writeSync } from 'node:fs';
import { Corridor, type PaymentCreateParams } from 'corridor-sdk';
import { SqliteJournal } from 'corridor-sdk/journal/sqlite';

// Creates a payment; the parent process kills this one before it sees the response.
const [, , path = '', payment = ''] = process.argv;
const corridor = new Corridor({
  journal: new SqliteJournal(path),
  async fetch(input, init) {
    const response = await fetch(input, init);
    if (init?.method !== 'POST') return response;
    writeSync(1, `received ${response.status}\n`);
    return new Promise<Response>(() => setInterval(() => {}, 1_000));
  },
});
await corridor.payments.createOnce(JSON.parse(payment) as PaymentCreateParams);
writeSync(1, 'returned\n');
