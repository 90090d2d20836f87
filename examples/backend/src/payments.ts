import { setTimeout } from 'node:timers/promises';
import type { Corridor } from 'corridor-sdk';
import { PostgresCheckpointStore } from 'corridor-sdk/journal/postgres';
import type { FastifyBaseLogger } from 'fastify';
import type { Pool } from 'pg';
import { savePayment } from './database.ts';

export type Services = { readonly corridor: Corridor; readonly pool: Pool; readonly log: FastifyBaseLogger };

/** Finds out what became of payments without a conclusive response, for example if a process ended. */
export async function recoverPending({ corridor, pool, log }: Services, signal: AbortSignal): Promise<void> {
  for (const result of await corridor.payments.reconcilePending({ signal })) {
    const { id: intentId, request } = result.intent;
    if (result.status === 'created') {
      await savePayment(pool, { ...result.payment, internalReference: request.internalReference ?? null });
      log.info({ intentId }, 'recovered a payment');
    } else if (result.status === 'not-found' || result.status === 'in-progress')
      log.warn({ intentId }, `a payment is still pending: ${result.advice}`);
    else if (result.status === 'mismatch') {
      const { payment, mismatches } = result;
      log.error({ intentId, paymentId: payment.id, mismatches }, 'another payment uses the quote: compare them');
    } else {
      const paymentIds = result.payments.map(({ id }) => id);
      log.error({ intentId, paymentIds }, 'an order has several payments: contact the platform at once');
    }
  }
}

/**
 * Stores the status changes since the last catch-up, in one process at a time. The checkpoint is stored after the
 * changes: if this fails in between, the changes are stored again, which changes nothing.
 */
export async function catchUp({ corridor, pool, log }: Services, signal: AbortSignal): Promise<void> {
  const store = new PostgresCheckpointStore(pool);
  let count = 0;
  for await (const { payment } of corridor.payments.changes({
    store,
    since: '2020-01-01T00:00:00Z',
    once: true,
    signal,
  })) {
    await savePayment(pool, payment);
    count += 1;
  }
  log.info({ count }, 'caught up with the platform');
}

/** Runs both now and every night at two o'clock UTC, and a minute after a failure, until the signal aborts. */
export async function keepUpToDate(services: Services, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const now = new Date();
    const nextDay = now.getUTCDate() + (now.getUTCHours() < 2 ? 0 : 1);
    let delay = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), nextDay, 2) - now.getTime();
    for (const task of [recoverPending, catchUp])
      await task(services, signal).catch((error: unknown) => {
        if (signal.aborted) return;
        delay = 60_000;
        services.log.error({ err: error, task: task.name }, 'failed: it runs again in a minute');
      });
    await setTimeout(delay, undefined, { signal }).catch(() => undefined);
  }
}
