import { setTimeout } from 'node:timers/promises';
import type { Corridor } from 'corridor-sdk';
import type { PostgresMirror } from 'corridor-sdk/mirror/postgres';
import type { FastifyBaseLogger } from 'fastify';
import type { Pool } from 'pg';
import { addOrderEvent, lastPosition, savePayment } from './database.ts';

export type Services = {
  readonly corridor: Corridor;
  readonly mirror: PostgresMirror;
  readonly pool: Pool;
  readonly log: FastifyBaseLogger;
};

/** Finds out what became of payments without a conclusive response, for example if a process ended. */
export async function recoverPending({ corridor, pool, log }: Services, signal: AbortSignal): Promise<void> {
  let failure: Error | undefined;
  for (const result of await corridor.payments.reconcilePending({ signal })) {
    const { id: intentId, idempotencyKey: orderId } = result.intent;
    if (result.status === 'created') {
      await savePayment(pool, orderId ?? intentId, result.payment);
      log.info({ intentId }, 'recovered a payment');
    } else if (result.status === 'unknown' && result.error !== undefined) failure ??= result.error;
    else if (result.status === 'not-found' || result.status === 'in-progress' || result.status === 'unknown')
      log.warn({ intentId }, `a payment is still pending: ${result.advice}`);
    else if (result.status === 'other-account')
      log.error({ intentId }, `a payment of another account: ${result.advice}`);
    else if (result.status === 'mismatch') {
      const { payment, mismatches } = result;
      log.error({ intentId, paymentId: payment.id, mismatches }, 'another payment uses the quote: compare them');
    } else {
      const paymentIds = result.payments.map(({ id }) => id);
      log.error({ intentId, paymentIds }, 'an order has several payments: contact the platform at once');
    }
  }
  // The others are recovered; these are asked for again.
  if (failure !== undefined) throw failure;
}

/** Keeps the copy of the platform's records true, in one of the processes at a time, until the signal aborts. */
export async function followPlatform({ corridor, mirror }: Services, signal: AbortSignal): Promise<void> {
  await corridor.sync(mirror, { signal });
}

/** Adds each new status of an order to the outbox and the ledger, until the signal aborts, or with `once` up to the last change. */
export async function fillOutbox({ mirror, pool, log }: Services, signal: AbortSignal, once = false): Promise<void> {
  for await (const change of mirror.changes({ after: await lastPosition(pool), signal, once })) {
    const { record, id, status, previousStatus } = change;
    if (record !== 'payment' || status === null || status === previousStatus) continue;
    await addOrderEvent(pool, change);
    log.info({ paymentId: id, status }, 'a payment changed');
  }
}

/** Runs a task again after a delay, or a minute after a failure, until the signal aborts. */
export async function repeat(
  services: Services,
  signal: AbortSignal,
  task: (services: Services, signal: AbortSignal) => Promise<void>,
  delay: () => number,
): Promise<void> {
  while (!signal.aborted) {
    let wait = delay();
    await task(services, signal).catch((error: unknown) => {
      if (signal.aborted) return;
      wait = 60_000;
      services.log.error({ err: error, task: task.name }, 'failed: it runs again in a minute');
    });
    await setTimeout(wait, undefined, { signal }).catch(() => undefined);
  }
}

/** Follows the platform, and finds out what became of pending payments now and every night at two o'clock UTC. */
export async function keepUpToDate(services: Services, signal: AbortSignal): Promise<void> {
  const untilNight = (): number => {
    const now = new Date();
    const day = now.getUTCDate() + (now.getUTCHours() < 2 ? 0 : 1);
    return Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), day, 2) - now.getTime();
  };
  await Promise.all([
    repeat(services, signal, recoverPending, untilNight),
    repeat(services, signal, followPlatform, () => 0),
    repeat(services, signal, fillOutbox, () => 0),
  ]);
}
