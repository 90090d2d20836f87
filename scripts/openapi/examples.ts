import { Corridor, endpointNames, type EndpointName, type PaymentCreateRequest } from 'corridor-sdk';
import { createMockPlatform, type MockPlatform } from 'corridor-sdk/mock';
import { pathParameters, endpoints } from '../../src/contract/endpoints.ts';
import { addExampleRecords, callExample, endpointExamples } from '../specification/specification.ts';
import type { Json } from './schemas.ts';

/** A request to the mock and its response. */
interface Exchange {
  readonly endpoint: EndpointName;
  readonly title: string;
  readonly path: string;
  readonly request: unknown;
  readonly status: number;
  readonly response: unknown;
}

/** Examples of requests and responses, exchanged between the client and the mock. */
export class Examples {
  readonly #exchanges: readonly Exchange[];

  constructor(exchanges: readonly Exchange[]) {
    this.#exchanges = exchanges;
  }

  /** Returns the ids in the path of an endpoint's first example. */
  ids(name: EndpointName): string[] {
    const [first] = this.#of(name);
    const segments = endpoints[name].path.split('/');
    return pathParameters(endpoints[name].path).map((id) => first?.path.split('/')[segments.indexOf(`{${id}}`)] ?? '');
  }

  /** Returns the request bodies, by title. */
  requests(name: EndpointName): Json {
    return byTitle(this.#of(name), ({ request }) => request);
  }

  /** Returns the response bodies, by title. */
  responses(name: EndpointName): Json {
    return byTitle(this.#of(name), ({ response }) => response);
  }

  /** Returns the bodies of error responses, by title; `4XX` selects those without a separate entry. */
  errors(status: string): Json {
    const failed = this.#exchanges.filter((exchange) => exchange.status >= 400);
    const separate = ['401', '404', '413', '429'];
    return byTitle(
      failed.filter((exchange) =>
        status === '4XX' ? !separate.includes(String(exchange.status)) : String(exchange.status) === status,
      ),
      ({ response }) => response,
    );
  }

  #of(name: EndpointName): Exchange[] {
    return this.#exchanges.filter(({ endpoint, status }) => endpoint === name && status < 400);
  }
}

function byTitle(exchanges: readonly Exchange[], part: (exchange: Exchange) => unknown): Json {
  return Object.fromEntries(
    exchanges
      .filter((exchange) => part(exchange) !== undefined)
      .map((exchange) => [exchange.title.replaceAll(' ', '-'), { summary: exchange.title, value: part(exchange) }]),
  );
}

/** Returns the error of an example that shows nothing, with what is to be changed. */
function exampleError(name: EndpointName, problem: string): Error {
  const [namespace] = name.split('.');
  return new Error(
    `the example of ${name} ${problem}. Its input is ${JSON.stringify(endpointExamples[name].input)}. Change it, or the ` +
      'records of addExampleRecords, in scripts/specification/specification.ts, or the handler in ' +
      `src/mock/request/handlers/${namespace}.ts`,
  );
}

const now = Date.UTC(2026, 0, 15, 9);

/** Creates all examples by calling the client on a mock with a fixed seed and a frozen clock. */
export async function makeExamples(baseUrl: string): Promise<Examples> {
  const platform = createMockPlatform({ seed: 'openapi', baseUrl, now: () => now });
  const exchanges: Exchange[] = [];
  const corridor = new Corridor({
    ...platform.clientOptions(),
    validation: 'strict',
    maxRetries: 0,
    fetch: recording(platform, (exchange) => exchanges.push({ ...exchange, title: title() })),
  });
  let current = '';
  const title = (): string => current;
  const titled = async (name: string, call: () => PromiseLike<unknown>): Promise<void> => {
    current = name;
    await call();
  };
  const failing = (name: string, call: () => PromiseLike<unknown>): Promise<void> =>
    titled(name, async () => {
      if (
        await call().then(
          () => false,
          () => true,
        )
      )
        return;
      throw new Error(`${name}: did not fail`);
    });

  addExampleRecords(platform);
  const [order] = endpointExamples['payments.create'].args as readonly [PaymentCreateRequest];
  for (const name of endpointNames) {
    await titled(endpointExamples[name].title, () => callExample(corridor, name)).catch((error: Error) => {
      throw exampleError(name, `fails on the mock: ${error.message}`);
    });
    const { items } = Object(exchanges.at(-1)?.response) as { readonly items?: readonly unknown[] };
    if (items?.length === 0) throw exampleError(name, 'shows no record on the mock');
    if (name !== 'payments.create') continue;
    const { customerId, amount, currencyCode } = order;
    const quote = { customerId, paymentAmount: amount, paymentCurrencyCode: currencyCode };
    const { id: paymentQuoteId } = platform.quotes.add({ ...quote, fundingType: 'BANK_ACCOUNT' });
    await titled('funded from a bank account', () => corridor.payments.create({ ...order, paymentQuoteId }));
  }

  const stranger = new Corridor({
    ...platform.clientOptions(),
    apiKey: 'unknown',
    maxRetries: 0,
    fetch: recording(platform, (exchange) => exchanges.push({ ...exchange, title: title() })),
  });
  await failing('unknown API key', () => stranger.crypto.networks());
  await failing('no such document', () => corridor.documents.downloadUrl('doc_1'));
  await failing('a quote used before', () => corridor.payments.create(order));
  await failing('a cursor of no page', () => corridor.customers.list({ cursor: 'unknown' }));
  return new Examples(exchanges);
}

function recording(platform: MockPlatform, record: (exchange: Omit<Exchange, 'title'>) => void): MockPlatform['fetch'] {
  return async (input, init) => {
    const request = new Request(input, init);
    const sent = await request.clone().text();
    const response = await platform.fetch(request);
    const endpoint = platform.requests.at(-1)?.endpoint;
    if (endpoint === undefined) throw new Error(`no endpoint for ${request.url}`);
    const received = await response.clone().text();
    record({
      endpoint,
      path: new URL(request.url).pathname,
      request: parsed(sent),
      status: response.status,
      response: parsed(received),
    });
    return response;
  };
}

function parsed(text: string): unknown {
  return text === '' ? undefined : JSON.parse(text);
}
