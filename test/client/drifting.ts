import { Corridor, type CorridorOptions, type Drift, type EndpointName } from 'corridor-sdk';
import { createMockPlatform, type MockPlatform } from 'corridor-sdk/mock';

/** JSON that can be changed in place. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** What a call of a platform whose answers were changed on their way came to. */
export interface Drifted {
  /** The answer as it reached the client. */
  readonly answer: Json;
  /** What the call gave. */
  readonly data?: unknown;
  /** What the call threw. */
  readonly error?: unknown;
  /** What onDrift heard, in order. */
  readonly heard: readonly Drift[];
}

type Call = (corridor: Corridor, platform: MockPlatform) => PromiseLike<unknown>;

/** One call for each answer of a known shape, with a platform that has something to answer. */
const prepared = {
  'payments.create': ({ payments }, platform) => payments.create(payable(platform, 'CRYPTO')),
  'payments.list': ({ payments }, platform) => {
    platform.payments.addMany(2, () => ({ sourceFunding: { type: 'CRYPTO', symbol: 'USDC', network: null, fundingStatus: 'PENDING' } }));
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
  'customers.beneficiaries': ({ customers }, platform) => customers.beneficiaries(platform.beneficiaries.add().customerId),
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

/** The endpoints whose answers have a known shape, and a payment with a bank-funded quote. */
export type Checked = keyof typeof prepared | 'bank-funded quote';

function payable(platform: MockPlatform, fundingType: 'CRYPTO' | 'BANK_ACCOUNT') {
  const { id: customerId } = platform.customers.add();
  return {
    customerId, beneficiaryId: platform.beneficiaries.add({ customerId }).id, paymentQuoteId: platform.quotes.add({ customerId, fundingType }).id,
    documentIds: [platform.documents.add({ customerId }).id], amount: '10', currencyCode: 'USD', purposeOfPayment: 'Goods',
  } as const;
}

/** Makes a call whose answer is changed on its way. */
export async function drifted(name: Checked, change: (answer: Json) => void, options: CorridorOptions = {}): Promise<Drifted> {
  const platform = createMockPlatform();
  const heard: Drift[] = [];
  let answer: Json = null;
  const corridor = new Corridor({
    ...platform.clientOptions(),
    retries: 0,
    onDrift: (drift) => heard.push(drift),
    fetch: async (input, init) => {
      const response = await platform.fetch(input, init);
      answer = (await response.json()) as Json;
      change(answer);
      return Response.json(answer, { status: response.status });
    },
    ...options,
  });
  const call: Call = name === 'bank-funded quote' ? ({ payments }) => payments.create(payable(platform, 'BANK_ACCOUNT')) : prepared[name];
  try {
    return { data: await call(corridor, platform), answer, heard };
  } catch (error) {
    return { error, answer, heard };
  }
}

/** Sets a field of an answer, such as `items[0].status`; undefined takes it away. */
export function set(answer: Json, path: string, value: unknown): void {
  const steps = path.match(/[^.[\]]+/g) ?? [];
  const last = steps.pop() as string;
  let place = answer as { [key: string]: Json };
  for (const step of steps) place = place[step] as { [key: string]: Json };
  if (value === undefined) delete place[last];
  else place[last] = value as Json;
}
