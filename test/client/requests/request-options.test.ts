import { describe, expect, test } from 'vitest';
import {
  AbortedError,
  ConfigurationError,
  InvalidRequestError,
  endpointNames,
  type Corridor,
  type PaymentCreateRequest,
  type PaymentStatus,
  type RequestOptions,
} from 'corridor-sdk';
import { failureOf } from '../../support/failure-of.ts';
import { calls, forEachEndpoint, goodInput, type Given } from '../../support/calls.ts';
import { customer, scripted, silent } from '../../support/scripted-fetch.ts';

/** Each call with request options as its last argument. */
const withOptions = forEachEndpoint(
  (name) =>
    (corridor: Corridor, options: RequestOptions): PromiseLike<unknown> =>
      calls[name](corridor, goodInput[name], options),
);
const others: Readonly<Record<string, (corridor: Corridor, options: RequestOptions) => PromiseLike<unknown>>> = {
  'documents.download': ({ documents }, options) => documents.download('doc_1', options),
  'support.downloadAttachment': ({ support }, options) => support.downloadAttachment('tic_1', 'att_1', options),
  request: (corridor, options) => corridor.request({ method: 'GET', path: '/api/v1/reports' }, options),
};
const everyCall = Object.entries({ ...withOptions, ...others });

const payment = goodInput['payments.create'] as unknown as PaymentCreateRequest;
const created = {
  version: 1 as const,
  id: crypto.randomUUID(),
  request: { ...payment },
  createdAt: '2026-03-01T09:00:00.000Z',
  clockOffset: 0,
};
const wait = { until: ['APPROVED'], maxWait: 1_000 } as const;

/** The calls that send several requests. */
const workflows: Readonly<Record<string, (corridor: Corridor, options: RequestOptions) => PromiseLike<unknown>>> = {
  'payments.createOnce': ({ payments }, options) => payments.createOnce(payment, options),
  'payments.reconcile': ({ payments }, options) => payments.reconcile(created, options),
  'payments.reconcilePending': ({ payments }, options) => payments.reconcilePending({ ...options, intents: [] }),
  'payments.find': ({ payments }, options) => payments.find({ id: 'pay_1' }, options),
  'payments.preflight': ({ payments }, options) => payments.preflight(payment, options),
  'payments.preflight of an invalid payment': ({ payments }, options) =>
    payments.preflight({} as PaymentCreateRequest, options),
  'payments.waitForStatus': ({ payments }, options) => payments.waitForStatus('pay_1', { ...wait, ...options }),
  'customers.waitForStatus': ({ customers }, options) => customers.waitForStatus('cus_1', { ...wait, ...options }),
  'customers.waitForBeneficiaryStatus': ({ customers }, options) =>
    customers.waitForBeneficiaryStatus('cus_1', 'ben_1', { ...wait, ...options }),
  'payments.changes': ({ payments }, options) => payments.changes(options).next(),
  'payments.export': async ({ payments }, options) => payments.export({}, options).pages().next(),
  'payments.planExport': ({ payments }, options) => payments.planExport({}, options),
  'payments.list, page by page': ({ payments }, options) => payments.list({}, options).pages().next(),
};

test.each(Object.entries({ ...withOptions, ...others, ...workflows }))(
  '%s throws a ConfigurationError for each invalid limit',
  async (_, call) => {
    for (const [name, value] of [
      ['timeout', 0],
      ['timeout', Number.NaN],
      ['totalTimeout', '5s'],
      ['totalTimeout', -1],
      ['maxRetries', 0.5],
    ] as const) {
      const { corridor, sent } = silent();
      const error = await failureOf(call(corridor, { [name]: value }));
      expect(error).toBeInstanceOf(ConfigurationError);
      expect(error.message).toMatch(new RegExp(`^${name} must be `));
      expect(sent).toEqual([]);
    }
  },
);

test.each(Object.entries({ ...withOptions, ...others, ...workflows }))(
  '%s throws a ConfigurationError for a header that the SDK sets',
  async (_, call) => {
    const { corridor, sent } = silent();
    const error = await failureOf(call(corridor, { headers: { Host: 'platform.example' } }));
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(sent).toEqual([]);
  },
);

/** The calls that accept a status, without using what they return. */
const statusCalls: Readonly<
  Record<string, (corridor: Corridor, status: PaymentStatus) => PromiseLike<unknown> | AsyncIterable<unknown>>
> = {
  'payments.list': ({ payments }, status) => payments.list({ status }),
  'payments.export': ({ payments }, status) => payments.export({ status }),
  'payments.planExport': ({ payments }, status) => payments.planExport({ status }),
  'payments.changes': ({ payments }, status) => payments.changes({ statuses: [status] }),
  'payments.waitForStatus': ({ payments }, status) => payments.waitForStatus('pay_1', { ...wait, until: [status] }),
};

test.each(Object.entries(statusCalls))(
  '%s throws an InvalidRequestError for a misspelled status, on use',
  async (_, call) => {
    const { corridor, sent } = silent();
    const used = call(corridor, 'COMPLETE' as PaymentStatus);
    const first = 'then' in used ? used : used[Symbol.asyncIterator]().next();
    const error = await failureOf(Promise.resolve(first));
    expect(error).toBeInstanceOf(InvalidRequestError);
    expect(error).toMatchObject({ message: expect.stringContaining('COMPLETED') as unknown, outcome: 'not-sent' });
    expect(sent).toEqual([]);
  },
);

describe('the options of a call', () => {
  test.each(everyCall)('%s sends further headers', async (_, call) => {
    const { corridor, sent } = silent();
    await failureOf(call(corridor, { headers: { 'X-Trace': 'abc', 'x-empty': '' } }));
    expect(sent[0]?.headers.get('x-trace')).toBe('abc');
    expect(sent[0]?.headers.get('x-empty')).toBe('');
  });

  test.each(everyCall)('%s is not sent when its signal has aborted before', async (_, call) => {
    const { corridor, sent } = silent();
    const reason = new Error('the user left');
    const error = await failureOf(call(corridor, { signal: AbortSignal.abort(reason) }));
    expect(error).toBeInstanceOf(AbortedError);
    expect(error).toMatchObject({ cause: reason, outcome: 'not-sent' });
    expect(sent).toEqual([]);
  });

  test.each(everyCall)('%s rejects unknown options by name', async (_, call) => {
    const { corridor, sent } = silent();
    const error = await failureOf(call(corridor, { timout: 5_000 } as RequestOptions));
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error).toMatchObject({
      message: 'timout is not a known field (known: timeout, totalTimeout, maxRetries, maxRetryAfter, signal, headers)',
      outcome: 'not-sent',
    });
    expect(sent).toEqual([]);
  });

  test.each(everyCall)('%s rejects options that are not an object', async (_, call) => {
    for (const options of [null, 'fast', 5, () => {}]) {
      const { corridor, sent } = silent();
      expect(await failureOf(call(corridor, options as RequestOptions))).toBeInstanceOf(ConfigurationError);
      expect(sent).toEqual([]);
    }
  });

  test.each([
    ['timeout', 0],
    ['timeout', 0.5],
    ['timeout', -1],
    ['timeout', Number.NaN],
    ['timeout', Number.POSITIVE_INFINITY],
    ['timeout', 2_147_483_648],
    ['timeout', '5s'],
    ['timeout', null],
    ['totalTimeout', 0],
    ['totalTimeout', -1],
    ['totalTimeout', Number.NaN],
    ['totalTimeout', Number.POSITIVE_INFINITY],
    ['totalTimeout', 2_147_483_648],
    ['totalTimeout', 5n],
    ['maxRetries', -1],
    ['maxRetries', 1.5],
    ['maxRetries', 101],
    ['maxRetries', Number.NaN],
    ['maxRetries', '2'],
    ['maxRetries', null],
    ['signal', new AbortController()],
    ['signal', 'abort'],
    ['signal', null],
    ['headers', 'x-trace: 1'],
    ['headers', null],
    ['headers', [['x-trace', '1']]],
    ['headers', new Headers({ 'x-trace': '1' })],
    ['headers', new Map([['x-trace', '1']])],
  ] as const)('reject %s: %s', async (name, value) => {
    const { corridor, sent } = silent();
    const error = await failureOf(corridor.crypto.networks({ [name]: value } as RequestOptions));
    expect(error).toBeInstanceOf(ConfigurationError);
    expect((error as Error).message).toMatch(new RegExp(`^${name} must be `));
    expect(sent).toEqual([]);
  });

  test.each([
    ['timeout', 1],
    ['timeout', 2_147_483_647],
    ['totalTimeout', 1],
    ['totalTimeout', 2_147_483_647],
    ['maxRetries', 0],
    ['maxRetries', 100],
  ] as const)('accept %s: %i', async (name, value) => {
    const clock = { now: () => 0, sleep: () => new Promise<void>(() => {}) }; // No limit is reached.
    const { corridor, sent } = scripted(() => ({ networks: [] }), clock);
    await corridor.crypto.networks({ [name]: value });
    expect(sent).toHaveLength(1);
  });

  test.each([
    'authorization',
    'Authorization',
    'X-API-KEY',
    'host',
    'Host',
    'content-length',
    'content-type',
    'Transfer-Encoding',
    'connection',
    'Expect',
    'Upgrade',
    'keep-alive',
    'TE',
    'trailer',
  ])('reject the header %s', async (name) => {
    const { corridor, sent } = silent();
    const error = await failureOf(corridor.crypto.networks({ headers: { [name]: 'x' } }));
    expect(error).toBeInstanceOf(ConfigurationError);
    expect((error as Error).message).toContain(`headers.${name.toLowerCase()} is set by the SDK`);
    expect(sent).toEqual([]);
  });

  test.each([
    ['', 'x'],
    ['x y', 'x'],
    ['x:y', 'x'],
    ['é', 'x'],
    ['x\r\ny', 'x'],
    ['x-trace', 'a\r\nb: c'],
    ['x-trace', 'é'],
    ['x-trace', 'a\0b'],
    ['x-trace', 5],
    ['x-trace', undefined],
    ['x-trace', null],
  ])('reject the header %j: %j', async (name, value) => {
    const { corridor, sent } = silent();
    const error = await failureOf(corridor.crypto.networks({ headers: { [name]: value as string } }));
    expect(error).toBeInstanceOf(ConfigurationError);
    expect((error as Error).message).not.toContain('b: c');
    expect(sent).toEqual([]);
  });

  test('let the caller say what to accept and who is asking', async () => {
    const { corridor, sent } = scripted(() => 'a,b\n');
    await corridor.request(
      { method: 'GET', path: '/api/v1/reports' },
      { headers: { Accept: 'text/csv', 'User-Agent': 'acme/1.0' } },
    );
    expect(sent[0]?.headers.get('accept')).toBe('text/csv');
    expect(sent[0]?.headers.get('user-agent')).toBe('acme/1.0');
  });

  test('a list applies its options to each of its pages', async () => {
    const { corridor, sent } = scripted((_, index) => ({
      items: [customer(index)],
      nextCursor: index < 2 ? `c${index}` : null,
      hasMore: index < 2,
    }));
    await corridor.customers.list({}, { headers: { 'x-trace': 'trace-1' } }).toArray();
    expect(sent.map(({ headers }) => headers.get('x-trace'))).toEqual(['trace-1', 'trace-1', 'trace-1']);
  });

  test('no call mutates its input', async () => {
    const { corridor } = silent();
    const options = Object.freeze({ headers: Object.freeze({ 'x-trace': '1' }), maxRetries: 0 });
    for (const name of endpointNames) {
      const given: Given = structuredClone(goodInput[name]);
      const before = structuredClone(given);
      await failureOf(calls[name](corridor, given));
      await failureOf(withOptions[name](corridor, options));
      expect(given).toEqual(before);
    }
  });
});
