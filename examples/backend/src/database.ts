import { postgresCheckpointMigration, postgresMigration } from 'corridor-sdk/journal/postgres';
import type { Pool } from 'pg';

/** The payment of an order; without `paymentId`, it is NOT_CREATED, or PENDING if it is unknown whether it exists. */
export type OrderPayment = { readonly orderId: string; readonly paymentId: string | null; readonly status: string };

/** Creates the tables that do not exist yet: the journal, the checkpoint and the payment of each order. */
export async function migrate(pool: Pool): Promise<void> {
  await pool.query(postgresMigration() + postgresCheckpointMigration());
  await pool.query(`
    create table if not exists order_payments (
      order_id text primary key, quote_id text not null, payment_id text unique, status text not null default 'PENDING');`);
}

// Only the journal knows: the error of one call does not show what another call with the quote did.
const notCreated = `own.payment_id is null and exists (
  select from corridor_journal where key = own.quote_id and outcome = 'not-created')`;

/**
 * Reserves an order for one quote, so that a second quote cannot pay it again. Returns false if another quote may have
 * paid it, which is the case until the journal says that its payment was not created.
 */
export async function claimOrder(pool: Pool, orderId: string, quoteId: string): Promise<boolean> {
  const { rowCount } = await pool.query(
    `insert into order_payments as own (order_id, quote_id) values ($1, $2)
     on conflict (order_id) do update set quote_id = excluded.quote_id
     where own.quote_id = excluded.quote_id or (${notCreated})`,
    [orderId, quoteId],
  );
  return rowCount === 1;
}

/** Stores the payment of an order, or its new status. The `internalReference` of a payment is the id of the order. */
export async function savePayment(
  pool: Pool,
  payment: { readonly id: string; readonly status: string; readonly internalReference?: string | null },
): Promise<void> {
  await pool.query(
    `update order_payments set payment_id = $1, status = $2
     where payment_id = $1 or (order_id = $3 and payment_id is null)`,
    [payment.id, payment.status, payment.internalReference ?? null],
  );
}

export async function findPayment(pool: Pool, orderId: string): Promise<OrderPayment | undefined> {
  const { rows } = await pool.query<OrderPayment>(
    `select order_id as "orderId", payment_id as "paymentId", case when ${notCreated} then 'NOT_CREATED' else status end
     as status from order_payments own where order_id = $1`,
    [orderId],
  );
  return rows[0];
}
