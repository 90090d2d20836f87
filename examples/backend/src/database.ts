import { postgresMigration } from 'corridor-sdk/journal/postgres';
import { postgresMirrorTables, type MirrorChange } from 'corridor-sdk/mirror/postgres';
import type { Pool } from 'pg';

/** The payment of an order; without `paymentId`, it is NOT_CREATED, or PENDING if it is unknown whether it exists. */
export type OrderPayment = { readonly orderId: string; readonly paymentId: string | null; readonly status: string };

/**
 * Creates the tables that do not exist yet: the journal, the copy of the platform's records, the payment of each order,
 * the outbox with each status of an order, and the position of the outbox in the changes of the copy.
 */
export async function migrate(pool: Pool): Promise<void> {
  await pool.query(postgresMigration() + postgresMirrorTables());
  await pool.query(`
    create table if not exists order_payments (order_id text primary key, payment_id text unique not null, status text not null);
    create table if not exists order_events (sequence bigint primary key, order_id text not null, status text not null);
    create table if not exists order_events_position (id int primary key check (id = 1), sequence bigint not null, position text not null);
    insert into order_events_position values (1, 0, '0') on conflict do nothing;`);
}

/** Stores the payment of an order, with the status that the platform returned first. */
export async function savePayment(
  pool: Pool,
  orderId: string,
  { id, status }: { readonly id: string; readonly status: string },
): Promise<void> {
  await pool.query(
    'insert into order_payments (order_id, payment_id, status) values ($1, $2, $3) on conflict do nothing',
    [orderId, id, status],
  );
}

/** Returns the position of the last change that the outbox has processed. */
export async function lastPosition(pool: Pool): Promise<string> {
  const { rows } = await pool.query<{ readonly position: string }>('select position from order_events_position');
  return rows[0]?.position ?? '0';
}

/**
 * Adds a new status of an order to the outbox, and moves the position, in one statement: each change is processed once,
 * also if several processes try. The `internalReference` of a payment is the id of the order; payments that the journal
 * does not know belong to others.
 */
export async function addOrderEvent(pool: Pool, { sequence, position, id, status }: MirrorChange): Promise<void> {
  await pool.query(
    `with moved as (update order_events_position set sequence = $1, position = $4 where sequence < $1 returning sequence)
     insert into order_events (sequence, order_id, status)
     select moved.sequence, idempotency_key, $3::text
     from moved, corridor_payments payment join corridor_journal on idempotency_key = internal_reference and released = ''
     where payment.id = $2 and coalesce(payment_id, payment.id) = payment.id`,
    [sequence, id, status, position],
  );
}

/** Returns the payment of an order; before it is stored, what the journal knows of it. */
export async function findPayment(pool: Pool, orderId: string): Promise<OrderPayment | undefined> {
  const { rows } = await pool.query<OrderPayment>(
    `select idempotency_key as "orderId", own.payment_id as "paymentId",
       coalesce(copy.status, own.status, case outcome when 'not-created' then 'NOT_CREATED' else 'PENDING' end) as status
     from corridor_journal left join order_payments own on order_id = idempotency_key
       left join corridor_payments copy on copy.id = own.payment_id
     where idempotency_key = $1 order by released limit 1`,
    [orderId],
  );
  return rows[0];
}
