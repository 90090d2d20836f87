import { Corridor, type PaymentCreateRequest } from 'corridor-sdk';
import { PostgresJournal } from 'corridor-sdk/journal/postgres';
import { createMockPlatform, type MockPlatform } from 'corridor-sdk/mock';
import { pino } from 'pino';
import { PostgresMirror } from 'corridor-sdk/mirror/postgres';
import { Client, Pool } from 'pg';
import { onTestFinished } from 'vitest';
import { createApp } from '../src/app.ts';
import { migrate } from '../src/database.ts';
import { fillOutbox, recoverPending, type Services } from '../src/payments.ts';

const { CORRIDOR_TEST_POSTGRES: server } = process.env;
if (server === undefined)
  throw new Error('CORRIDOR_TEST_POSTGRES must be the address of a PostgreSQL server for tests');

/** A signal that never aborts. */
export const never = new AbortController().signal;

/** The address of an empty database, which is removed after the test. */
export async function emptyDatabase(): Promise<string> {
  const name = `test_${crypto.randomUUID().replaceAll('-', '')}`;
  const execute = async (statement: string): Promise<void> => {
    const client = new Client({ connectionString: server });
    await client.connect();
    await client.query(statement);
    await client.end();
  };
  await execute(`create database ${name}`);
  onTestFinished(() => execute(`drop database ${name} with (force)`));
  const address = new URL(String(server));
  address.pathname = name;
  return String(address);
}

/** A backend with its database and a mock of the platform. `restart` is a new process with the same database. */
export async function startBackend(platform: MockPlatform = createMockPlatform(), database?: string) {
  const connectionString = database ?? (await emptyDatabase());
  const pool = new Pool({ connectionString });
  pool.on('error', console.error);
  await migrate(pool);
  const journal = new PostgresJournal(pool);
  const corridor = new Corridor({
    ...platform.clientOptions(),
    journal,
    totalTimeout: 2000,
  });
  const services: Services = { corridor, mirror: new PostgresMirror(pool), pool, log: pino({ level: 'silent' }) };
  await recoverPending(services, never);
  const app = createApp(corridor, pool);
  const stop = async (): Promise<void> => {
    await app.close();
    await pool.end();
  };
  const restart = async () => {
    await stop();
    return startBackend(platform, connectionString);
  };
  const pay = (orderId: string, payload: object) =>
    app.inject({ method: 'PUT', url: `/orders/${orderId}/payment`, payload });
  const read = (orderId: string) => app.inject({ method: 'GET', url: `/orders/${orderId}/payment` });
  /** Reads what has changed on the platform, and fills the outbox. */
  const catchUp = async (): Promise<void> => {
    await corridor.sync(services.mirror, { once: true });
    await fillOutbox(services, never, true);
  };
  /** Returns the outbox. */
  const events = async (): Promise<readonly string[]> =>
    (await pool.query('select order_id, status from order_events order by sequence')).rows.map(
      ({ order_id: orderId, status }) => `${orderId} ${status}`,
    );
  /** Returns what was paid in this month. */
  const totals = async (): Promise<unknown> =>
    (await app.inject(`/ledger/${new Date().toISOString().slice(0, 7)}`)).json();
  return { app, platform, services, journal, pay, read, catchUp, events, totals, stop, restart };
}

/** Adds what a payment needs to the platform, and returns the body of a request. */
export function payable(platform: MockPlatform, amount = '10.00'): Omit<PaymentCreateRequest, 'internalReference'> {
  const { id: customerId } = platform.customers.add();
  return {
    customerId,
    beneficiaryId: platform.beneficiaries.add({ customerId, currencyCode: 'USD' }).id,
    paymentQuoteId: platform.quotes.add({ customerId, paymentAmount: amount, paymentCurrencyCode: 'USD' }).id,
    documentIds: [platform.documents.add({ customerId }).id],
    amount,
    currencyCode: 'USD',
    purposeOfPayment: 'Goods',
  };
}

/** The same order with another quote. */
export function withNewQuote(platform: MockPlatform, order: ReturnType<typeof payable>): ReturnType<typeof payable> {
  const { customerId, amount, currencyCode } = order;
  const quote = platform.quotes.add({ customerId, paymentAmount: amount, paymentCurrencyCode: currencyCode });
  return { ...order, paymentQuoteId: quote.id };
}
