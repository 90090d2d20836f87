import { Corridor } from 'corridor-sdk';
import { PostgresCheckpointStore } from 'corridor-sdk/journal/postgres';
import { Pool } from 'pg';

// One of several processes of which one follows the changes of payments. It writes each into an outbox, in one
// transaction with its checkpoint.
const [, , connectionString = '', table = '', outbox = ''] = process.argv;
const pool = new Pool({ connectionString, max: 3 });
const onError = (): void => {};
const store = new PostgresCheckpointStore(pool, { table, leaseDuration: 1_000 });
const corridor = new Corridor();
await Promise.all([corridor.ready(), pool.query('select 1')]);
console.log('ready');

const changes = corridor.payments.changes({
  store,
  since: '2020-01-01T00:00:00Z',
  pollInterval: 50,
  maxPollInterval: 50,
});
for await (const { payment, checkpoint } of changes) {
  const client = await pool.connect();
  client.on('error', onError);
  try {
    await client.query("begin; set local idle_in_transaction_session_timeout = '10s'");
    await client.query(`insert into ${outbox} (payment, status) values ($1, $2)`, [payment.id, payment.status]);
    await store.save(checkpoint, client);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw error;
  } finally {
    client.off('error', onError);
    client.release();
  }
  console.log('stored');
}
