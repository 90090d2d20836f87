import type { PaymentExportSpan } from 'corridor-sdk';
import { Pool } from 'pg';
import { PgBoss } from 'pg-boss';

const { DATABASE_URL: connectionString = 'postgres://127.0.0.1:5432/postgres' } = process.env;

/** The queue of spans. */
export const queueName = 'export-payments';

/** What a job of the queue contains. */
export interface SpanJob {
  readonly span: PaymentExportSpan;
}

/** Connects to the queue, and creates it at the first start. */
export async function openQueue(): Promise<PgBoss> {
  const boss = new PgBoss({ connectionString, superviseIntervalSeconds: 1, monitorIntervalSeconds: 1 });
  boss.on('error', console.error);
  await boss.start();
  // If a worker sends no heartbeat for ten seconds, another worker takes over its job.
  await boss.createQueue(queueName, { retryLimit: 10, heartbeatSeconds: 10 });
  return boss;
}

/** Connects to the database, and creates the table of payments at the first start. */
export async function openDatabase(): Promise<Pool> {
  const pool = new Pool({ connectionString });
  // Without a listener, an idle connection that breaks would end the process.
  pool.on('error', console.error);
  await pool.query(`create table if not exists payments (
    id text primary key, status text not null, amount numeric not null, currency text not null,
    created_at timestamptz not null, record jsonb not null
  )`);
  return pool;
}
