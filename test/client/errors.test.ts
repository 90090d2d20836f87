import { format, inspect } from 'node:util';
import { deserialize, serialize } from 'node:v8';
import { MessageChannel, receiveMessageOnPort } from 'node:worker_threads';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as sdk from 'corridor-sdk';
import {
  ApiError,
  type Corridor,
  CorridorError,
  InvalidRequestError,
  NotFoundError,
  RateLimitError,
  type CorridorOptions,
} from 'corridor-sdk';
import { failureOf } from '../support/failure-of.ts';
import { paymentRequest as payment } from '../support/fault-server.ts';
import { customer, scripted, silent } from '../support/scripted-fetch.ts';

const apiErrorFor = async (
  status: number,
  body: unknown = {},
  headers: Record<string, string> = {},
  options: CorridorOptions = {},
): Promise<ApiError> => {
  const { corridor } = scripted(
    () => new Response(typeof body === 'string' ? body : JSON.stringify(body), { status, headers }),
    { maxRetries: 0, ...options },
  );
  return await failureOf(corridor.customers.get('cus_1'), ApiError);
};

describe('each status has an error class', () => {
  test.each([
    [400, 'BadRequestError', 'bad-request', 'rejected'],
    [401, 'AuthenticationError', 'authentication', 'rejected'],
    [403, 'PermissionError', 'permission', 'rejected'],
    [404, 'NotFoundError', 'not-found', 'rejected'],
    [409, 'ConflictError', 'conflict', 'unknown'],
    [418, 'ApiError', 'api', 'unknown'],
    [422, 'UnprocessableEntityError', 'unprocessable-entity', 'rejected'],
    [429, 'RateLimitError', 'rate-limit', 'rejected'],
    [500, 'ServerError', 'server', 'unknown'],
    [501, 'ServerError', 'server', 'unknown'],
    [503, 'ServerError', 'server', 'unknown'],
    [599, 'ServerError', 'server', 'unknown'],
    [302, 'ApiError', 'api', 'unknown'],
  ] as const)('%i is a %s, code %s, outcome %s', async (status, name, code, outcome) => {
    const error = await apiErrorFor(status);
    expect(error).toBeInstanceOf(sdk[name]);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({
      name,
      code,
      outcome,
      status,
      endpoint: 'customers.get',
      attempts: [{ attempt: 1, status, delay: 0 }],
    });
    expect(error.message).toMatch(new RegExp(`^customers\\.get failed with status ${status}\\b`));
  });

  test('the dialect defines which statuses mean rejected', async () => {
    const dialect = { rejectedStatuses: [409] };
    expect([
      (await apiErrorFor(409, {}, {}, { dialect })).outcome,
      (await apiErrorFor(422, {}, {}, { dialect })).outcome,
    ]).toEqual(['rejected', 'unknown']);
  });
});

describe('the details of an error of the platform', () => {
  test.each([
    [{ code: 'quote_used', message: 'It was used' }, 'quote_used', 'It was used'],
    [{ error: { code: 'quote_used', message: 'It was used' } }, 'quote_used', 'It was used'],
    [{ error: { type: 'quote_used', message: 'It was used' } }, 'quote_used', 'It was used'],
    [
      { type: 'https://errors.example/quote-used', title: 'Used', detail: 'It was used', status: 422 },
      'https://errors.example/quote-used',
      'It was used',
    ],
    [{ type: 'about:blank', title: 'Used' }, undefined, 'Used'],
    [
      { statusCode: 422, message: ['a is wrong', 'b is wrong'], error: 'Unprocessable Entity' },
      'Unprocessable Entity',
      'a is wrong; b is wrong',
    ],
    [{ error: 'invalid_request', error_description: 'It was used' }, 'invalid_request', 'It was used'],
    [{ errorCode: 17, message: 'It was used' }, '17', 'It was used'],
    [{ error: 'It was used' }, 'It was used', 'It was used'],
    [{ error: 'Conflict', message: 'It was used' }, undefined, 'It was used'],
    [{ message: ['a is wrong', 7, null, 'b is wrong'] }, undefined, 'a is wrong; b is wrong'],
    [{ code: '', type: 'quote_used', message: '', detail: 'It was used' }, 'quote_used', 'It was used'],
    [{ code: { quote: 'used' }, message: true, title: 'Used' }, undefined, 'Used'],
    [{ code: 0, message: 'It was used' }, '0', 'It was used'],
    ['"quote_used"', undefined, undefined],
    [{}, undefined, undefined],
    [[], undefined, undefined],
    [null, undefined, undefined],
    ['<html>Bad</html>', undefined, undefined],
    ['', undefined, undefined],
  ])('%j', async (body, platformCode, message) => {
    const error = await apiErrorFor(422, body);
    expect(error.platformCode).toBe(platformCode);
    if (message !== undefined) expect(error.message).toContain(message);
    expect(error.message.includes(': ')).toBe(platformCode !== undefined || message !== undefined);
    expect(error.body).toEqual(
      typeof body !== 'string' ? body : body === '"quote_used"' ? 'quote_used' : body || undefined,
    );
  });

  test('is reported without the API key if it contains the key', async () => {
    const error = await apiErrorFor(400, { code: 'key-of-the-tests', message: 'key-of-the-tests is unknown' });
    expect(error.message).toContain('[secret] is unknown');
    expect(`${inspect(error, { showHidden: true, depth: 10 })}${JSON.stringify(error)}`).not.toContain(
      'key-of-the-tests',
    );
  });

  test.each([
    ['7', 7_000],
    ['0', 0],
    ['soon', undefined],
    ['-5', undefined],
    ['', undefined],
    ['7 s', undefined],
    ['s 7', undefined],
    ['x 5', undefined],
    ['never', undefined],
    [new Date(Date.UTC(2025, 0, 1)).toUTCString(), 0],
    [new Date(Date.UTC(2026, 0, 1, 0, 0, 30)).toUTCString(), 30_000],
  ])('retry-after: %s', async (value, milliseconds) => {
    const date = new Date(Date.UTC(2026, 0, 1));
    const error = await apiErrorFor(
      429,
      {},
      { 'retry-after': value, date: date.toUTCString() },
      { now: () => date.getTime() },
    );
    expect(error).toBeInstanceOf(RateLimitError);
    expect(error.retryAfterMs).toBe(milliseconds);
  });

  test('its headers and its request id are at hand', async () => {
    const error = await apiErrorFor(404, {}, { 'x-request-id': 'req_9', 'x-more': 'yes' });
    expect([error.requestId, error.headers.get('x-more')]).toEqual(['req_9', 'yes']);
    expect(error.message).toContain('request id req_9');
  });
});

describe('the request id of a call with several attempts', () => {
  const reset = () => Promise.reject(Object.assign(new Error('reset'), { code: 'ECONNRESET' }));
  const failed = (id?: string) => () =>
    new Response('{}', { status: 503, headers: id === undefined ? {} : { 'x-request-id': id } });

  test.each([
    ['is that of the last one', [failed('req_1'), failed('req_2')], 'req_2'],
    ['is that of an earlier one if the last one has none', [failed('req_1'), failed()], 'req_1'],
    ['is that of an earlier one if the last one has no response', [failed('req_1'), reset], 'req_1'],
    ['is absent if no attempt has one', [failed(), reset], undefined],
  ])('%s', async (_name, responses, requestId) => {
    const ids: (string | undefined)[] = [];
    const { corridor } = scripted((_, index) => responses[index]?.(), {
      maxRetries: 1,
      now: () => 0,
      sleep: (milliseconds) => (milliseconds < 30_000 ? Promise.resolve() : new Promise(() => {})),
      hooks: { onError: (event) => ids.push(event.requestId) },
    });
    const error = await failureOf(corridor.crypto.networks());
    expect([error.requestId, ...ids]).toEqual([requestId, requestId]);
  });
});

describe('retryable', () => {
  const reset = () => Promise.reject(Object.assign(new Error('reset'), { code: 'ECONNRESET' }));
  const answer = (status: number) => () => Response.json({}, { status });
  const read = ({ customers }: Corridor): Promise<unknown> => customers.get('cus_1');
  const create = ({ payments }: Corridor): Promise<unknown> => payments.create(payment);

  test.each<[name: string, call: typeof read, respond: () => unknown, expected: boolean, outcome: string]>([
    ['a create with 401', create, answer(401), true, 'rejected'],
    ['a create with 403', create, answer(403), true, 'rejected'],
    ['a create with 429', create, answer(429), true, 'rejected'],
    ['a create with 404', create, answer(404), false, 'rejected'],
    ['a create with 422', create, answer(422), false, 'rejected'],
    ['a create with 409', create, answer(409), false, 'unknown'],
    ['a create with 503, which another one could pay twice', create, answer(503), false, 'unknown'],
    ['a create whose connection broke', create, reset, false, 'unknown'],
    ['a deletion with 503', ({ documents }) => documents.delete('doc_1'), answer(503), true, 'unknown'],
    ['a read with 503', read, answer(503), true, 'unknown'],
    ['a read with 501', read, answer(501), false, 'unknown'],
    ['a read whose connection broke', read, reset, true, 'unknown'],
    ['a read whose response breaks the contract', read, () => Response.json([]), false, 'applied'],
    ['a read of which a proxy sent a page', read, () => new Response('<html>'), true, 'unknown'],
    [
      'a read that was aborted',
      (each) => each.customers.get('a', { signal: AbortSignal.abort() }),
      reset,
      true,
      'not-sent',
    ],
    ['an invalid request', (each) => each.customers.get(''), reset, false, 'not-sent'],
  ])('of %s', async (_name, call, respond, retryable, outcome) => {
    const { corridor } = scripted(respond, { maxRetries: 0 });
    const error = await failureOf(call(corridor));
    expect(error).toMatchObject({ retryable, outcome });
    expect(error.toJSON()).toMatchObject({ retryable });
  });
});

describe('how the message describes the outcome', () => {
  const aborted = AbortSignal.abort();
  const broken = () => Promise.reject(Object.assign(new Error('reset'), { code: 'ECONNRESET' }));
  const status = (code: number) => () => new Response('{}', { status: code });

  test.each<[string, () => unknown, AbortSignal | undefined, string]>([
    ['a 404', status(404), undefined, 'the request was rejected'],
    ['a 503', status(503), undefined, 'no usable data was received'],
    ['a broken connection', broken, undefined, 'no usable data was received'],
    ['an unusable body', () => Response.json([]), undefined, 'no usable data was received'],
    ['an abort before it is sent', status(200), aborted, 'nothing was sent'],
  ])('of a list with %s', async (_name, respond, signal, text) => {
    const { corridor } = scripted(respond, { maxRetries: 0 });
    const { message } = await failureOf(corridor.payments.list({}, { signal }));
    expect(message).toMatch(new RegExp(` \\(${text}\\)$`));
  });

  test('of a list that is aborted while its response is awaited', async () => {
    const controller = new AbortController();
    const { corridor } = scripted(() => {
      controller.abort();
      return new Promise(() => {});
    });
    const { message } = await failureOf(corridor.payments.list({}, { signal: controller.signal }).toArray({ max: 10 }));
    expect(message).toBe('payments.list was aborted while waiting for the response (no usable data was received)');
  });

  test.each<[string, () => unknown, string]>([
    ['a 404', status(404), 'the platform rejected it'],
    ['a 503', status(503), 'it is unknown whether the platform processed it'],
    ['a broken connection', broken, 'it is unknown whether the platform processed it'],
  ])('of a write with %s', async (_name, respond, text) => {
    const { corridor } = scripted(respond, { maxRetries: 0 });
    const { message } = await failureOf(corridor.support.reply('tic_1', { bodyText: 'Hello' }));
    expect(message).toMatch(new RegExp(` \\(${text}\\)$`));
  });
});

describe('an error as JSON and in the console', () => {
  test('contains everything except bodies and headers', async () => {
    const error = await apiErrorFor(
      422,
      { code: 'odd', message: 'Odd', account: 'DE-secret' },
      { 'x-request-id': 'req_9' },
    );
    expect(JSON.parse(JSON.stringify(error))).toEqual({
      name: 'UnprocessableEntityError',
      message: 'customers.get failed with status 422: odd: Odd (the request was rejected, request id req_9)',
      code: 'unprocessable-entity',
      outcome: 'rejected',
      endpoint: 'customers.get',
      requestId: 'req_9',
      retryable: false,
      attempts: [{ attempt: 1, status: 422, delay: 0 }],
      status: 422,
      platformCode: 'odd',
    });
    expect(inspect(error, { depth: 10 })).not.toContain('DE-secret');
    expect(inspect(error)).toMatch(/^UnprocessableEntityError: customers\.get failed with status 422/);
  });

  test('lists the issues of a rejected request', async () => {
    const error = await failureOf(silent().corridor.customers.list({ limit: 0 }));
    expect(JSON.parse(JSON.stringify(error))).toEqual({
      name: 'InvalidRequestError',
      message: 'customers.list was not sent: limit must be an integer from 1 to 100. For more, iterate over the list',
      code: 'invalid-request',
      outcome: 'not-sent',
      retryable: false,
      endpoint: 'customers.list',
      attempts: [],
      issues: [{ path: 'limit', message: 'must be an integer from 1 to 100. For more, iterate over the list' }],
    });
  });
});

describe('an error that another thread or a logger receives', () => {
  /** What `postMessage` delivers. */
  function posted(value: unknown): unknown {
    const { port1, port2 } = new MessageChannel();
    port1.postMessage(value);
    const received = receiveMessageOnPort(port2)?.message as unknown;
    port1.close();
    return received;
  }

  /** Errors whose headers, body or intent hold a text that must not be printed. */
  const errors: readonly (readonly [name: string, make: () => Promise<CorridorError>])[] = [
    ['of a status', () => apiErrorFor(422, { code: 'odd', note: 'hidden-text' }, { 'x-note': 'hidden-text' })],
    [
      'of a body',
      async () => failureOf(scripted(() => ({ items: ['hidden-text'] })).corridor.customers.list(), CorridorError),
    ],
    [
      'of a payment',
      async () => {
        const order = { ...payment, internalReference: 'hidden-text' };
        const { corridor } = scripted(() => Promise.reject(new TypeError('fetch failed')), { maxRetries: 0 });
        return failureOf(corridor.payments.create(order), CorridorError);
      },
    ],
    [
      'of an outcome',
      async () => {
        const order = { ...payment, internalReference: 'hidden-text' };
        const { corridor } = scripted(() => new Response(null, { status: 502 }), { maxRetries: 0 });
        return failureOf(corridor.payments.createOnce(order, { consistencyWindow: 0 }), CorridorError);
      },
    ],
  ];

  const prints: Readonly<Record<string, (error: CorridorError) => string>> = {
    '%o': (error) => format('%o', error),
    '%O': (error) => format('%O', error),
    'inspect with showHidden': (error) => inspect(error, { showHidden: true, depth: null }),
    'JSON.stringify': (error) => JSON.stringify(error),
    'JSON.stringify of its names': (error) => JSON.stringify({ ...error }, Object.getOwnPropertyNames(error)),
    'structuredClone of toJSON()': (error) => inspect(structuredClone(error.toJSON()), { depth: null }),
    'postMessage of toJSON()': (error) => inspect(posted(error.toJSON()), { depth: null }),
    // The algorithm keeps nothing else of an Error.
    structuredClone: (error) => inspect(structuredClone(error), { showHidden: true, depth: null }),
    postMessage: (error) => inspect(posted({ error }), { showHidden: true, depth: null }),
    'v8.serialize': (error) => inspect(deserialize(serialize(error)), { showHidden: true, depth: null }),
  };

  const cases = errors.flatMap(([name, make]) => Object.keys(prints).map((way) => [name, way, make] as const));
  test.each(cases)('%s, by %s: no body, header and intent', async (_, way, make) => {
    const error = await make();
    const text = prints[way]?.(error) ?? '';
    expect(text).not.toContain('hidden-text');
    if (!way.includes('names')) expect(text).toContain(error.message.slice(0, 40));
    if (!/clone$|postMessage$|serialize/i.test(way))
      for (const field of [error.code, error.outcome]) expect(text).toContain(field);
  });

  test('still has its intent, which reconcile takes', async () => {
    const { corridor } = scripted(() => new Response(null, { status: 502 }), { maxRetries: 0 });
    const error = await failureOf(corridor.payments.create(payment), CorridorError);
    expect(error.intent?.request).toEqual(payment);
    expect(Object.keys(error)).not.toContain('intent');
  });
});

describe('instanceof', () => {
  const classes = Object.entries(sdk)
    .filter(([name]) => name.endsWith('Error'))
    .map(([name, value]) => [name, value as unknown as typeof CorridorError] as const);

  test('there are error classes to test', () => {
    expect(classes.length).toBeGreaterThanOrEqual(18);
  });

  test.each(classes)('every %s has its name on its prototype, and is a CorridorError', (name, errorClass) => {
    expect(errorClass.prototype.name).toBe(name);
    expect(errorClass === CorridorError || errorClass.prototype instanceof CorridorError).toBe(true);
  });

  test('of a partner’s own subclass goes by the prototype chain', async () => {
    class OwnError extends NotFoundError {}
    class OwnerError extends OwnError {}
    const details = { outcome: 'rejected', status: 404, headers: new Headers(), body: undefined } as const;
    const own = new OwnError('mine', details);
    const found = await failureOf(scripted(() => new Response('', { status: 404 })).corridor.customers.get('cus_1'));
    expect([
      own instanceof OwnError,
      own instanceof NotFoundError,
      own instanceof ApiError,
      own instanceof CorridorError,
    ]).toEqual([true, true, true, true]);
    expect([
      found instanceof OwnError,
      own instanceof OwnerError,
      new OwnerError('', details) instanceof OwnError,
    ]).toEqual([false, false, true]);
  });

  test.each([
    [undefined],
    [null],
    ['text'],
    [5],
    [{}],
    [new Error('x')],
    [{ name: 'CorridorError', code: 'api' }],
    [() => {}],
  ])('is false of %s', (value) => {
    expect((value as unknown) instanceof CorridorError).toBe(false);
    expect((value as unknown) instanceof InvalidRequestError).toBe(false);
  });
});

describe('a response that cannot be used', () => {
  const blocked = '<!doctype html><TITLE lang=en>\n Web page  blocked </TITLE>';

  test.each([
    ['', 'application/json', 'unknown', 'is empty, but must be JSON'],
    [
      blocked,
      'text/html; charset=utf-8',
      'unknown',
      'is text/html with the title "Web page blocked", but must be JSON',
    ],
    [blocked, 'application/json', 'unknown', 'is application/json with the title "Web page blocked", but must be JSON'],
    ['{"id":"cus_1"}', 'text/html', 'unknown', 'is text/html, but must be JSON'],
    ['Denied', '', 'unknown', 'is of no type, but must be JSON'],
    ['{"id": ', 'text/plain', 'unknown', 'is text/plain, but must be JSON'],
    ['{"id": ', 'application/json', 'applied', 'is not valid JSON'],
    ['null', 'text/plain', 'applied', 'must not be null'],
    ['[]', 'application/json', 'applied', 'must be an object (received array)'],
    ['"text"', 'application/json', 'applied', 'must be an object (received string)'],
  ])('%j of the type %j is reported, and is %s', async (body, type, outcome, message) => {
    const { corridor } = scripted(() => new Response(body, { headers: { 'content-type': type } }), { maxRetries: 0 });
    const error = await failureOf(corridor.customers.get('cus_1'));
    expect(error).toBeInstanceOf(sdk.InvalidResponseError);
    expect(error).toMatchObject({ outcome, issues: [{ path: '', message }] });
    expect(error.message.endsWith('Check whether a proxy or a login page responded instead of the platform')).toBe(
      outcome === 'unknown',
    );
  });

  test.each([
    ['text/html', 'unknown'],
    ['application/json', 'applied'],
  ])('of the type %s that is too large is %s', async (type, outcome) => {
    const response = () => new Response('x'.repeat(200), { headers: { 'content-type': type } });
    const { corridor } = scripted(response, { maxResponseBytes: 100 });
    expect(await failureOf(corridor.customers.get('cus_1'))).toMatchObject({ code: 'invalid-response', outcome });
  });

  test('is a page of a proxy, also for a deletion', async () => {
    const { corridor } = scripted(() => new Response(blocked, { headers: { 'content-type': 'text/html' } }));
    expect(await failureOf(corridor.documents.delete('doc_1'))).toMatchObject({
      outcome: 'unknown',
      issues: [{ message: 'is HTML, but must be empty' }],
    });
  });

  test.each([[undefined], ['text']])('has the body of its error only if it could be read', async (body) => {
    const { corridor } = scripted(() => new Response(body ?? 'x'.repeat(200)), {
      maxRetries: 0,
      maxResponseBytes: 100,
    });
    const error = await failureOf(corridor.customers.get('cus_1'), sdk.InvalidResponseError);
    expect(error.body).toBe(body);
  });

  test('larger than maxResponseBytes is not read to its end', async () => {
    const { corridor } = scripted(() => customer(1), { maxRetries: 0, maxResponseBytes: 100 });
    expect(await failureOf(corridor.customers.get('cus_1'))).toMatchObject({
      code: 'invalid-response',
      issues: [{ path: '', message: 'is larger than 100 bytes (maxResponseBytes)' }],
    });
  });
});

describe('personal data in the body of an error', () => {
  const sensitive = fc.constantFrom(
    'iban',
    'accountNumber',
    'companyName',
    'displayName',
    'aliases',
    'values',
    'receiptUrl',
    'actorEmail',
    'bodyText',
  );
  /** JSON in which every text and number is personal data. */
  const personal = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom('CANARY', 'CANARY "quoted" \\ ]}', 8_675_309),
      fc.array(tie('value'), { minLength: 1, maxLength: 3 }),
      fc.dictionary(fc.constantFrom('a', 'street', 'id'), tie('value'), { minKeys: 1, maxKeys: 3 }),
    ),
  })).value;
  const readable = (value: unknown): boolean => /CANARY|8675309/.test(JSON.stringify(value));

  test('is masked with everything that is nested in it, also in a body that is cut off', async () => {
    await fc.assert(
      fc.asyncProperty(sensitive, personal, fc.double({ min: 0, max: 1, noNaN: true }), async (name, value, share) => {
        const text = JSON.stringify({
          code: 'no',
          items: [{ id: 'pay_1', nested: { [name]: value }, status: 'KEPT' }],
        });
        const { body } = await apiErrorFor(422, text);
        expect(readable(body)).toBe(false);
        expect(body).toMatchObject({ code: 'no', items: [{ id: 'pay_1', status: 'KEPT' }] });
        expect(readable((await apiErrorFor(422, text.slice(0, Math.ceil(share * text.length)))).body)).toBe(false);
      }),
      { numRuns: 300 },
    );
  });

  test('is masked below the name of the prototype, which stays a field', async () => {
    const { body } = await apiErrorFor(422, '{"__proto__":{"iban":"DE89","code":"no"}}');
    expect(JSON.stringify(body)).toBe('{"__proto__":{"iban":"[masked]","code":"no"}}');
    expect(Object.getPrototypeOf(body)).toBe(Object.prototype);
  });

  test.each([
    ['{"id":"1","aliases":["Jane Doe","Jan', '{"id":"1","aliases":[masked]'],
    ['{"accountNumber": 4711, "id":"1', '{"accountNumber": [masked]'],
    ['{"id":"1","status":"KEPT', '{"id":"1","status":"KEPT'],
  ])('is masked in the text %s, up to its end', async (text, masked) => {
    expect((await apiErrorFor(422, text)).body).toBe(masked);
  });
});
