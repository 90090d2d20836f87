import { describe, expect, test } from 'vitest';
import {
  Corridor,
  InvalidRequestError,
  NotFoundError,
  WaitTimeoutError,
  type BeneficiaryStatus,
  type WaitOptions,
} from 'corridor-sdk';
import { createMockPlatform } from 'corridor-sdk/mock';
import { failureOf } from '../../support/failure-of.ts';

const minutes = 60_000;

/** A customer with a page of other beneficiaries and one of this status, and the wait for it. */
function waiting(status: BeneficiaryStatus) {
  const platform = createMockPlatform();
  platform.clock.freeze();
  const { id: customerId } = platform.customers.add();
  const { id: beneficiaryId } = platform.beneficiaries.add({ customerId, status });
  for (let count = 0; count < 100; count += 1) platform.beneficiaries.add({ customerId });
  const { customers } = new Corridor(platform.clientOptions());
  const wait = (options: Partial<WaitOptions<BeneficiaryStatus>>, id = beneficiaryId, customer = customerId) =>
    customers.waitForBeneficiaryStatus(customer, id, { until: ['APPROVED'], maxWait: 10 * minutes, ...options });
  return { platform, beneficiaryId, wait };
}

describe('customers.waitForBeneficiaryStatus', () => {
  test('resolves to the beneficiary when it has one of the statuses', async () => {
    const { platform, beneficiaryId, wait } = waiting('PENDING_REVIEW');
    platform.beneficiaries.scheduleTransitions(beneficiaryId, ['APPROVED'], { every: { minutes: 5 } });
    expect(await wait({})).toMatchObject({ id: beneficiaryId, status: 'APPROVED' });
  });

  test('throws with the observed statuses after maxWait', async () => {
    const error = await failureOf(waiting('PENDING_REVIEW').wait({}));
    expect(error).toBeInstanceOf(WaitTimeoutError);
    expect(error).toMatchObject({ statusHistory: ['PENDING_REVIEW'], unreachable: false });
  });

  test('ends at once if the beneficiary is REJECTED', async () => {
    const { platform, wait } = waiting('REJECTED');
    expect(await failureOf(wait({}))).toMatchObject({ code: 'wait-timeout', unreachable: true });
    expect(platform.requests.to('customers.beneficiaries').length).toBeLessThanOrEqual(2);
  });

  test('reports a beneficiary that does not exist, a customer that does not exist, and what is misspelled', async () => {
    const { wait } = waiting('APPROVED');
    expect(await failureOf(wait({}, 'ben_unknown'))).toMatchObject({ code: 'wait-timeout', statusHistory: [] });
    expect(await failureOf(wait({}, 'ben_unknown', 'cus_unknown'))).toBeInstanceOf(NotFoundError);
    expect(await failureOf(wait({}, ''))).toBeInstanceOf(InvalidRequestError);
    expect(await failureOf(wait({ until: ['APROVED' as 'APPROVED'] }))).toBeInstanceOf(InvalidRequestError);
  });
});
