import { postgresCheckpointMigration, postgresMigration } from 'corridor-sdk/journal/postgres';
import type { Pool } from 'pg';

/** The payment of an order; without `paymentId`, it is NOT_CREATED, or PENDING if it is unknown whether it exists. */
export type OrderPayment = { readonly orderId: string; readonly paymentId: string | null; readonly status: string };

/** Creates the tables that do not exist yet: the journal, the checkpoint and the payment of each order. */
export async function migrate(pool: Pool): Promise<void> {
  await pool.query(postgresMigration() + postgresCheckpointMigration());
  await pool.query(`
    create table if not exists order_payments (order_id text primary key, payment_id text unique not null, status text not null);`);
}

/**
 * Stores the payment of an order, or its new status. The `internalReference` of a payment is the id of the order; payments
 * of others, which the journal does not know, are not stored.
 */
export async function savePayment(
  pool: Pool,
  payment: { readonly id: string; readonly status: string; readonly internalReference?: string | null },
): Promise<void> {
  await pool.query(
    `insert into order_payments as own (order_id, payment_id, status)
     select distinct idempotency_key, $1::text, $2::text from corridor_journal where idempotency_key = $3 and released = ''
     on conflict (order_id) do update set status = excluded.status where own.payment_id = excluded.payment_id`,
    [payment.id, payment.status, payment.internalReference ?? null],
  );
}

/** Returns the payment of an order; before it is stored, what the journal knows of it. */
export async function findPayment(pool: Pool, orderId: string): Promise<OrderPayment | undefined> {
  const { rows } = await pool.query<OrderPayment>(
    `select idempotency_key as "orderId", own.payment_id as "paymentId",
       coalesce(status, case outcome when 'not-created' then 'NOT_CREATED' else 'PENDING' end) as status
     from corridor_journal left join order_payments own on order_id = idempotency_key
     where idempotency_key = $1 order by released limit 1`,
    [orderId],
  );
  return rows[0];
}
