import { postgresMigration } from 'corridor-sdk/journal/postgres';
import { postgresMirrorTables, type MirrorChange } from 'corridor-sdk/mirror/postgres';
import type { Pool } from 'pg';

/** The payment of an order; without `paymentId`, it is NOT_CREATED, or PENDING if it is unknown whether it exists. */
export type OrderPayment = { readonly orderId: string; readonly paymentId: string | null; readonly status: string };

/**
 * Creates the tables that do not exist yet: the journal, the copy of the platform's records, the payment of each order,
 * the outbox with each status of an order, the ledger, and the position of both in the changes of the copy.
 */
export async function migrate(pool: Pool): Promise<void> {
  // In one query, which is one transaction: the locks of the package let one process create all tables.
  await pool.query(`${postgresMigration()}${postgresMirrorTables()}
    create table if not exists order_payments (order_id text primary key, payment_id text unique, status text);
    create table if not exists order_events (sequence bigint primary key, order_id text not null, status text not null);
    create table if not exists ledger_entries (sequence bigint primary key, payment_id text not null, kind text not null,
      amount numeric not null, currency text not null, booked_at timestamptz not null);
    create table if not exists order_events_position (id int primary key check (id = 1), sequence bigint not null, position text not null);
    insert into order_events_position values (1, 0, '0') on conflict do nothing;`);
}

/** Stores an order before it is paid: the ledger needs it also after its entry in the journal is purged. */
export async function saveOrder(pool: Pool, orderId: string): Promise<void> {
  await pool.query('insert into order_payments (order_id) values ($1) on conflict do nothing', [orderId]);
}

/** Stores the payment of an order, with the status that the platform returned first. */
export async function savePayment(
  pool: Pool,
  orderId: string,
  { id, status }: { readonly id: string; readonly status: string },
): Promise<void> {
  await pool.query(
    `insert into order_payments (order_id, payment_id, status) values ($1, $2, $3) on conflict (order_id)
     do update set payment_id = excluded.payment_id, status = excluded.status where order_payments.payment_id is null`,
    [orderId, id, status],
  );
}

/** Returns the position of the last change that is in the outbox and in the ledger. */
export async function lastPosition(pool: Pool): Promise<string> {
  const { rows } = await pool.query<{ readonly position: string }>('select position from order_events_position');
  return rows[0]?.position ?? '0';
}

/**
 * Adds a new status of an order to the outbox, books it in the ledger, and moves the position, in one statement: each
 * change is processed once, also if several processes try, or if one is killed. A payment is booked when it is COMPLETED,
 * and reversed, with the amount that was booked, when it is RETURNED. The `internalReference` of a payment is the id of
 * the order, which learns its payment here if its process ended before it stored it; others belong to other systems.
 */
export async function addOrderEvent(pool: Pool, change: MirrorChange): Promise<void> {
  const { sequence, position, id, status, observedAt, updatedAt } = change;
  await pool.query(
    `with moved as (update order_events_position set sequence = $1, position = $4 where sequence < $1 returning sequence),
     payment as (
       select moved.sequence, copy.*, order_id
       from moved, corridor_payments copy join order_payments on order_id = internal_reference
       where copy.id = $2 and coalesce(payment_id, copy.id) = copy.id
     ),
     found as (
       update order_payments own set payment_id = payment.id, status = $3
       from payment where own.order_id = payment.order_id and own.payment_id is null
     ),
     event as (insert into order_events (sequence, order_id, status) select sequence, order_id, $3::text from payment),
     booked as (select * from ledger_entries where payment_id = $2 order by sequence desc limit 1)
     insert into ledger_entries (sequence, payment_id, kind, amount, currency, booked_at)
     select sequence, id, 'booked', amount, currency_code, $5::timestamptz from payment
     where $3 = 'COMPLETED' and not exists (select from booked where kind = 'booked')
     union all
     select payment.sequence, id, 'reversed', -booked.amount, booked.currency, $5 from payment, booked
     where $3 = 'RETURNED' and booked.kind = 'booked'`,
    [sequence, id, status, position, updatedAt ?? observedAt],
  );
}

/** Returns what was paid in a month, less what was returned, by currency. PostgreSQL adds `numeric` exactly. */
export async function monthTotals(pool: Pool, month: string): Promise<Record<string, string>> {
  const { rows } = await pool.query<{ readonly currency: string; readonly total: string }>(
    `select currency, sum(amount)::text as total from ledger_entries
     where to_char(booked_at at time zone 'UTC', 'YYYY-MM') = $1 group by currency order by currency`,
    [month],
  );
  return Object.fromEntries(rows.map(({ currency, total }) => [currency, total]));
}

/** Returns the payment of an order; before it is stored, what the journal knows of it. Without an entry, nothing was sent. */
export async function findPayment(pool: Pool, orderId: string): Promise<OrderPayment | undefined> {
  const { rows } = await pool.query<OrderPayment>(
    `select order_id as "orderId", coalesce(own.payment_id, entry.payment_id) as "paymentId",
       coalesce(copy.status, own.status, case when intent_id is null or outcome = 'not-created'
         then 'NOT_CREATED' else 'PENDING' end) as status
     from order_payments own left join corridor_journal entry on idempotency_key = order_id
       left join corridor_payments copy on copy.id = coalesce(own.payment_id, entry.payment_id)
     where order_id = $1 order by released limit 1`,
    [orderId],
  );
  return rows[0];
}
