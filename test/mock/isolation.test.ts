import { Corridor } from 'corridor-sdk';
import { createMockPlatform, type MockOrganization } from 'corridor-sdk/mock';
import { expect, test } from 'vitest';
import { payablePayment } from './fixture.js';

const hundred = Array.from({ length: 100 }, (_, index) => index);

/** A test of a partner's: it makes records, goes wrong once, pays, and looks at what is there. */
async function useAlone(organization: MockOrganization, index: number): Promise<readonly unknown[]> {
  organization.faults.next('crypto.networks', { kind: 'status', status: 400 + (index % 4) });
  const corridor = new Corridor({ ...organization.clientOptions(), retries: 0 });
  const order = payablePayment(organization, { internalReference: `ORDER-${index}` });
  const [refused, created] = await Promise.all([corridor.crypto.networks().then(undefined, ({ status }: { readonly status: number }) => status), corridor.payments.create(order)]);
  const listed = await corridor.payments.list().toArray();
  return [refused, listed.map(({ id, internalReference }) => [id === created.id, internalReference]), organization.payments.all().length, organization.requests.map(({ organization: id }) => id === organization.id)];
}

const alone = hundred.map((index) => [400 + (index % 4), [[true, `ORDER-${index}`]], 1, [true, true, true]]);

test('a hundred platforms at once share nothing, whatever their seeds', async () => {
  const results = await Promise.all(hundred.map((index) => useAlone(createMockPlatform({ seed: index % 2 }), index)));
  expect(results).toEqual(alone);
});

test('a hundred organizations of one platform at once share nothing', async () => {
  const platform = createMockPlatform();
  const { privateKey } = await platform.credentials();
  // One pair of keys for all, because making a hundred takes seconds: an organization is told by its API key.
  const results = await Promise.all(hundred.map((index) => useAlone(platform.organization({ privateKey }), index)));
  expect(results).toEqual(alone);
  expect(platform.requests).toHaveLength(300);
  expect(platform.payments.all()).toEqual([]);
});
