import { Corridor, type PaymentCreate } from 'corridor-sdk';
import { SqliteJournal } from 'corridor-sdk/journal/sqlite';

// What a service does when it starts again: settle what is open, and take up its work where it was.
const [, , path = '', payment = ''] = process.argv;
const journal = new SqliteJournal(path);
const corridor = new Corridor({ journal });
const recoveries = (await corridor.payments.recover()).map((recovery) => ({ outcome: recovery.outcome, paymentId: recovery.outcome === 'created' ? recovery.payment.id : undefined }));
const open = (await journal.open()).length;
const result = await corridor.payments.createOnce(JSON.parse(payment) as PaymentCreate);
console.log(JSON.stringify({ recoveries, open, paymentId: result.payment.id, created: result.created }));
journal.close();
