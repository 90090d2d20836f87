import { Corridor, type EndpointName } from 'corridor-sdk';
import { createMockPlatform, type MockFetch } from 'corridor-sdk/mock';
import { endpoints } from '../../src/contract/endpoints.ts';

/** The responses of a mock platform, and the payments that it received. */
export interface MockResponses {
  /** The responses by endpoint. */
  readonly responses: ReadonlyMap<EndpointName, readonly unknown[]>;
  readonly errors: readonly unknown[];
  readonly created: readonly unknown[];
}

/**
 * Collects every endpoint's responses of a mock platform with records of every kind, its error bodies, and the payments
 * that it received.
 */
export async function collectMockResponses(): Promise<MockResponses> {
  const responses = new Map<EndpointName, unknown[]>();
  const errors: unknown[] = [];
  const created: unknown[] = [];
  const platform = createMockPlatform({ seed: 4, now: () => Date.UTC(2026, 2, 1, 9) });
  platform.populate({ payments: 60, customers: 12, beneficiaries: 20, persons: 12 });
  const keeping: MockFetch = async (input, init) => {
    const response = await platform.fetch(input, init);
    const { endpoint } = platform.requests.at(-1) ?? {};
    const body: unknown = response.status === 204 ? undefined : await response.clone().json();
    if (response.status >= 400) errors.push(body);
    else if (endpoint !== undefined) responses.set(endpoint, [...(responses.get(endpoint) ?? []), body]);
    return response;
  };
  const corridor = new Corridor({ ...platform.clientOptions(), fetch: keeping, maxRetries: 0 });
  await corridor.payments.list().toArray();
  for (const customer of await corridor.customers.list().toArray()) {
    await corridor.customers.get(customer.id);
    await corridor.customers.activity(customer.id);
    await corridor.customers.beneficiaries(customer.id, { limit: 1 }).toArray();
  }
  for (const { customerId, id } of platform.persons.all()) {
    await corridor.screening.get(customerId, id);
    await corridor.screening.history(customerId, id, { limit: 3 }).toArray();
  }
  for (const { method, path } of Object.values(endpoints).filter(
    (endpoint) => endpoint.method === 'GET' && !endpoint.path.includes('{'),
  )) {
    await corridor.request({ method, path });
  }
  for (const fundingType of ['CRYPTO', 'BANK_ACCOUNT'] as const) {
    const order = platform.payments.createParams({ paymentQuote: { fundingType }, memo: null });
    created.push(order);
    await corridor.payments.create(order);
    await corridor.payments.create(order).catch(() => undefined);
  }
  await corridor.documents.delete('unknown').catch(() => undefined);
  await corridor.customers.list({ cursor: 'unknown' }).catch(() => undefined);
  await new Corridor({ ...platform.clientOptions(), apiKey: 'unknown', fetch: keeping }).crypto
    .networks()
    .catch(() => undefined);
  return { responses, errors, created };
}
