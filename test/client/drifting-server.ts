import { Corridor, type CorridorOptions, type Drift, type EndpointName } from 'corridor-sdk';
import { createMockPlatform } from 'corridor-sdk/mock';
import { addExampleRecords, endpointExamples } from '../contract/examples.js';
import { calls } from './calls.js';

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

/** The endpoints, and a payment with a bank-funded quote. */
export type Checked = EndpointName | 'bank-funded quote';

/** Makes a call whose response is changed on its way. */
export async function drifted(
  name: Checked,
  change: (body: Json) => void,
  options: CorridorOptions = {},
): Promise<Drifted> {
  const platform = createMockPlatform({ now: () => Date.UTC(2026, 0, 15, 9) });
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
  addExampleRecords(platform);
  const sourceFunding = { type: 'CRYPTO', symbol: 'USDC', network: null, fundingStatus: 'PENDING' } as const;
  platform.payments.addMany(2, () => ({ status: 'COMPLETED', sourceFunding }));
  const [endpoint, changed] = ((): [EndpointName, object] => {
    if (name === 'bank-funded quote')
      return ['payments.create', platform.payments.createParams({ paymentQuote: { fundingType: 'BANK_ACCOUNT' } })];
    return [name, name === 'payments.list' ? { limit: 2 } : {}];
  })();
  try {
    const data = await calls[endpoint](corridor, { ...endpointExamples[endpoint].input, ...changed });
    return { data, body, heard };
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
