import { Corridor, type PaymentCreateParams } from 'corridor-sdk';
import { SqliteJournal } from 'corridor-sdk/journal/sqlite';

// A service that restarts: it resolves the pending intents, then repeats its work.
const [, , path = '', payment = ''] = process.argv;
const journal = new SqliteJournal(path);
const corridor = new Corridor({ journal });
const recoveries = (await corridor.payments.reconcilePending()).map((recovery) => ({
  status: recovery.status,
  paymentId: recovery.status === 'created' ? recovery.payment.id : undefined,
}));
const open = (await journal.listPending()).length;
const result = await corridor.payments.createOnce(JSON.parse(payment) as PaymentCreateParams);
console.log(JSON.stringify({ recoveries, open, paymentId: result.payment.id, created: result.created }));
journal.close();
