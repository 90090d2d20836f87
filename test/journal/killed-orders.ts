import { Corridor, PaymentOutcomeUnknownError, type Journal, type PaymentCreateRequest } from 'corridor-sdk';
import { serveMockPlatform } from 'corridor-sdk/mock/node';
import { expect, onTestFinished } from 'vitest';
import { start } from './program.ts';

/**
 * The points at which a process that loses a response can be killed: around the request that learns the time, the claim,
 * the POST, a search and the outcome.
 */
export const killPoints = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10] as const;

/** The journal that the processes share: one that is open here, and the arguments with which a program opens it. */
export interface SharedJournal {
  readonly journal: Journal;
  readonly programArguments: readonly [place: string, table: string];
}

/**
 * Two processes pay one order with different quotes at the same time, on a platform that accepts each quote twice; the
 * other is killed. Expects that this one never creates a second payment, and after a release creates the only one.
 */
export async function payWhileKilled({ journal, programArguments }: SharedJournal, killedAt: number): Promise<void> {
  const served = await serveMockPlatform({ quotes: 'reusable' });
  onTestFinished(() => served.close());
  const { platform } = served;
  const { baseUrl, apiKey, privateKey } = await served.credentials();
  const first = platform.payments.createParams({ amount: '1250.00', internalReference: 'order-4711' });
  const { customerId, beneficiaryId } = first;
  const quoted = (): PaymentCreateRequest =>
    platform.payments.createParams({ ...first, paymentQuoteId: undefined, customerId, beneficiaryId });
  const idempotencyKey = `order-${killedAt}`;
  const { payments } = new Corridor({ ...served.clientOptions(), journal, totalTimeout: 5_000 });
  let created = 0;
  const pay = async (): Promise<string | undefined> => {
    try {
      const result = await payments.createOnce(quoted(), { idempotencyKey });
      if (result.created) created += 1;
      return result.payment.id;
    } catch (error) {
      if (!(error instanceof PaymentOutcomeUnknownError)) throw error;
      return undefined;
    }
  };

  const other = start('pay-order', [...programArguments, String(killedAt), JSON.stringify(first), idempotencyKey], {
    CORRIDOR_BASE_URL: baseUrl,
    CORRIDOR_API_KEY: apiKey,
    CORRIDOR_PRIVATE_KEY: privateKey,
  });
  const isEnded = other.ended.then(
    (output) => ((created += (JSON.parse(output) as { readonly created: boolean }).created ? 1 : 0), true),
    () => true,
  );
  // The other process claims first, except if it is killed before.
  const awaitClaim = async (): Promise<void> => {
    await expect.poll(() => journal.listPending(), { timeout: 60_000 }).toHaveLength(1);
  };
  if (killedAt > 4) await Promise.race([isEnded, awaitClaim()]);
  await Promise.all([isEnded, pay()]);
  expect(platform.payments.all().length).toBeLessThanOrEqual(1);

  platform.clock.advance({ hours: 1 });
  for (const { intent, status } of await payments.reconcilePending())
    if (status === 'not-found') expect(await payments.releaseIntent(intent)).toEqual({ status: 'released' });
  const id = await pay();
  expect(platform.payments.all().map((payment) => payment.id)).toEqual([id]);
  expect(created).toBeLessThanOrEqual(1);
  expect(await journal.listPending()).toEqual([]);
}
