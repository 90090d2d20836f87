import { Corridor } from 'corridor-sdk';
import { createMockPlatform, type MockOrganization } from 'corridor-sdk/mock';
import { expect, test } from 'vitest';
import { payablePayment } from './fixture.ts';

const hundred = Array.from({ length: 100 }, (_, index) => index);

/** A typical test: it adds records, handles a fault, creates a payment, and reads the records. */
async function useAlone(organization: MockOrganization, index: number): Promise<readonly unknown[]> {
  organization.faults.next('crypto.networks', { kind: 'status', status: 400 + (index % 4) });
  const corridor = new Corridor({ ...organization.clientOptions(), maxRetries: 0 });
  const order = payablePayment(organization, { internalReference: `ORDER-${index}` });
  const [rejected, created] = await Promise.all([
    corridor.crypto.networks().then(undefined, ({ status }: { readonly status: number }) => status),
    corridor.payments.create(order),
  ]);
  const listed = await corridor.payments.list().toArray();
  return [
    rejected,
    listed.map(({ id, internalReference }) => [id === created.id, internalReference]),
    organization.payments.all().length,
    organization.requests.map(({ organization: id }) => id === organization.id),
  ];
}

const alone = hundred.map((index) => [400 + (index % 4), [[true, `ORDER-${index}`]], 1, [true, true, true]]);

test('a hundred platforms at once share nothing, with equal and different seeds', async () => {
  const results = await Promise.all(hundred.map((index) => useAlone(createMockPlatform({ seed: index % 2 }), index)));
  expect(results).toEqual(alone);
});

test('a hundred organizations of one platform at once share nothing', async () => {
  const platform = createMockPlatform();
  const { privateKey } = await platform.credentials();
  // One key pair for all, because generating a hundred takes seconds: the API key identifies an organization.
  const results = await Promise.all(hundred.map((index) => useAlone(platform.organization({ privateKey }), index)));
  expect(results).toEqual(alone);
  expect(platform.requests).toHaveLength(300);
  expect(platform.payments.all()).toEqual([]);
});
