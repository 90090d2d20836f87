import { Corridor, type CorridorOptions, type Drift, type EndpointName } from 'corridor-sdk';
import { createMockPlatform, type MockPlatform } from 'corridor-sdk/mock';

/** JSON that can be changed in place. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** The result of a call whose response was changed on its way. */
export interface Drifted {
  /** The response body that reached the client. */
  readonly body: Json;
  /** The result of the call. */
  readonly data?: unknown;
  /** The error of the call. */
  readonly error?: unknown;
  /** The drift that was reported, in order. */
  readonly heard: readonly Drift[];
}

type Call = (corridor: Corridor, platform: MockPlatform) => PromiseLike<unknown>;

/** A call for each response with a known shape, and the records that it needs. */
const prepared = {
  'payments.create': ({ payments }, platform) => payments.create(payable(platform, 'CRYPTO')),
  'payments.list': ({ payments }, platform) => {
    platform.payments.addMany(2, () => ({
      sourceFunding: { type: 'CRYPTO', symbol: 'USDC', network: null, fundingStatus: 'PENDING' },
    }));
    return payments.list();
  },
  'customers.list': ({ customers }, platform) => {
    platform.customers.addMany(2);
    return customers.list();
  },
  'customers.get': ({ customers }, platform) => customers.get(platform.customers.add().id),
  'customers.activity': ({ customers }, platform) => {
    const { id } = platform.customers.add({ status: 'DRAFT' });
    platform.customers.transition(id, 'PENDING_REVIEW');
    return customers.activity(id);
  },
  'customers.beneficiaries': ({ customers }, platform) =>
    customers.beneficiaries(platform.beneficiaries.add().customerId),
  'screening.get': ({ screening }, platform) => {
    const { id, customerId } = platform.persons.add();
    return screening.get(customerId, id);
  },
  'screening.history': ({ screening }, platform) => {
    const { id, customerId } = platform.persons.add();
    return screening.history(customerId, id);
  },
  'crypto.paymentMethods': ({ crypto }) => crypto.paymentMethods(),
  'crypto.networks': ({ crypto }) => crypto.networks(),
} satisfies Partial<Record<EndpointName, Call>>;

/** The endpoints whose responses have a known shape, and a payment with a bank-funded quote. */
export type Checked = keyof typeof prepared | 'bank-funded quote';

function payable(platform: MockPlatform, fundingType: 'CRYPTO' | 'BANK_ACCOUNT') {
  return platform.payments.createParams({ paymentQuote: { fundingType } });
}

/** Makes a call whose response is changed on its way. */
export async function drifted(
  name: Checked,
  change: (body: Json) => void,
  options: CorridorOptions = {},
): Promise<Drifted> {
  const platform = createMockPlatform();
  const heard: Drift[] = [];
  let body: Json = null;
  const corridor = new Corridor({
    ...platform.clientOptions(),
    maxRetries: 0,
    onDrift: (drift) => heard.push(drift),
    fetch: async (input, init) => {
      const response = await platform.fetch(input, init);
      body = (await response.json()) as Json;
      change(body);
      return Response.json(body, { status: response.status });
    },
    ...options,
  });
  const call: Call =
    name === 'bank-funded quote'
      ? ({ payments }) => payments.create(payable(platform, 'BANK_ACCOUNT'))
      : prepared[name];
  try {
    return { data: await call(corridor, platform), body, heard };
  } catch (error) {
    return { error, body, heard };
  }
}

/** Sets a field of a response, such as `items[0].status`; undefined removes it. */
export function set(body: Json, path: string, value: unknown): void {
  const steps = path.match(/[^.[\]]+/g) ?? [];
  const last = steps.pop() as string;
  let place = body as { [key: string]: Json };
  for (const step of steps) place = place[step] as { [key: string]: Json };
  if (value === undefined) delete place[last];
  else place[last] = value as Json;
}
