import { describe, expect, test } from 'vitest';
import {
  InvalidRequestError,
  type PaymentCreateParams,
  CorridorError,
  endpointNames,
  type EndpointName,
} from 'corridor-sdk';
import fc from 'fast-check';
import { failureOf } from '../../support/failure-of.ts';
import { goodInput, calls, type Given } from '../../support/calls.ts';
import { customer, scripted, silent, type Sent } from '../../support/scripted-fetch.ts';
import { resolveDialect } from '../../../src/contract/dialect.ts';
import { type EndpointDefinition, endpoints } from '../../../src/contract/endpoints.ts';

const emptyPage = { items: [], nextCursor: null, hasMore: false };
const payment = goodInput['payments.create'] as unknown as PaymentCreateParams;

/** Returns the filter that payments.list sends; undefined if it is rejected. */
async function sentFilter(name: 'createdFrom' | 'createdTo', value: string | Date): Promise<string | null | undefined> {
  const { corridor, sent } = scripted(() => emptyPage);
  try {
    await corridor.payments.list({ [name]: value });
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidRequestError);
    expect(sent).toEqual([]);
    return undefined;
  }
  return sent[0]?.url.searchParams.get(name);
}

describe('a timestamp filter', () => {
  test.each([
    ['2026-02-28T09:30:00Z', 'the usual form'],
    ['2026-02-28T09:30Z', 'seconds are optional'],
    ['2026-02-28T09:30:00.5Z', 'a fraction'],
    ['2026-02-28T09:30:00.123456789Z', 'a long fraction'],
    ['2024-02-29T00:00:00Z', 'a leap day of a leap year'],
    ['2000-02-29T00:00:00Z', 'a leap day of a century that is one'],
    ['2026-12-31T23:59:59Z', 'the last second of a year'],
    ['0001-01-01T00:00:00Z', 'an early year'],
    ['9999-12-31T23:59:59.999Z', 'the last year of four digits'],
  ])('%s is sent unchanged: %s', async (value) => {
    expect(await sentFilter('createdFrom', value)).toBe(value);
    expect(await sentFilter('createdTo', value)).toBe(value);
  });

  test.each([
    ['2026-02-28T09:30:00', 'no Z'],
    ['2026-02-28T09:30:00z', 'a small z'],
    ['2026-02-28T09:30:00+00:00', 'an offset in place of Z'],
    ['2026-02-28T09:30:00.Z', 'a fraction without digits'],
    ['2026-02-28T09:30:00,5Z', 'a comma'],
    ['2026-02-28T09Z', 'no minutes'],
    ['2026-02-28', 'no time'],
    ['2026-02-28 09:30:00Z', 'a space in place of T'],
    ['2023-02-29T00:00:00Z', 'a leap day of another year'],
    ['1900-02-29T00:00:00Z', 'a leap day of a century that is no leap year'],
    ['2026-04-31T00:00:00Z', 'the 31st of April'],
    ['2026-00-10T00:00:00Z', 'month 0'],
    ['2026-13-10T00:00:00Z', 'month 13'],
    ['2026-01-00T00:00:00Z', 'day 0'],
    ['2026-01-01T24:00:00Z', 'hour 24'],
    ['2026-01-01T23:60:00Z', 'minute 60'],
    ['2026-12-31T23:59:60Z', 'a leap second'],
    ['10000-01-01T00:00:00Z', 'a year of five digits'],
    ['+010000-01-01T00:00:00.000Z', 'an extended year'],
    ['-000001-01-01T00:00:00.000Z', 'a year before 0'],
    ['٢٠٢٦-02-28T09:30:00Z', 'digits of another script'],
    ['2026-02-28T09:30:00Z\n', 'a line break at the end'],
    [' 2026-02-28T09:30:00Z', 'a space in front'],
    ['', 'nothing'],
  ])('%j is rejected: %s', async (value) => {
    expect(await sentFilter('createdFrom', value)).toBeUndefined();
    expect(await sentFilter('createdTo', value)).toBeUndefined();
  });

  test('a Date is sent as ISO 8601 in UTC', async () => {
    expect(await sentFilter('createdFrom', new Date(Date.UTC(2026, 1, 28, 9, 30, 0, 7)))).toBe(
      '2026-02-28T09:30:00.007Z',
    );
  });

  test('a Date of the year 10000 is rejected like its string', async () => {
    expect(await sentFilter('createdTo', new Date(Date.UTC(10_000, 0, 1)))).toBeUndefined();
  });

  test('the createdAt of a record can be passed back as it came', async () => {
    expect(await sentFilter('createdFrom', customer(1).createdAt)).toBe(customer(1).createdAt);
  });
});

describe('a memo', () => {
  test.each([['x'.repeat(64)], ['😀'.repeat(64)], ['é'.repeat(64)], [''], [null], [undefined]])(
    'may be %j',
    async (memo) => {
      const { corridor, sent } = silent();
      await failureOf(corridor.payments.create({ ...payment, memo }));
      expect((sent[0]?.body as PaymentCreateParams).memo).toBe(memo);
    },
  );

  test.each([['x'.repeat(65)], ['😀'.repeat(65)], [`${'😀'.repeat(64)}!`]])('may not be %j', async (memo) => {
    const { corridor } = silent();
    await expect(corridor.payments.create({ ...payment, memo })).rejects.toThrow(
      'memo must be a string of at most 64 characters',
    );
  });
});

describe('a body', () => {
  test('with a circle is rejected', async () => {
    const circle: Record<string, unknown> = {};
    circle['memo'] = circle;
    const { corridor, sent } = scripted(() => ({}));
    const created = corridor.payments.create({ ...payment, ...circle } as unknown as PaymentCreateParams);
    const { issues } = await failureOf(created, InvalidRequestError);
    expect(issues).toEqual([{ path: expect.stringMatching(/^memo/) as string, message: expect.any(String) as string }]);
    expect(sent).toEqual([]);
  });
});

describe('absent filters', () => {
  test('undefined in an optional field of a body is not sent', async () => {
    const { corridor, sent } = silent();
    await failureOf(
      corridor.payments.create({ ...payment, memo: undefined, invoiceNumber: undefined, internalReference: undefined }),
    );
    const { memo: _memo, invoiceNumber: _invoiceNumber, internalReference: _internalReference, ...rest } = payment;
    expect(sent[0]?.body).toEqual(rest);
  });

  test('null is sent if it is allowed', async () => {
    const { corridor, sent } = silent();
    await failureOf(corridor.payments.create({ ...payment, memo: null, internalReference: null }));
    expect(sent[0]?.body).toMatchObject({ memo: null, internalReference: null });
  });

  test('undefined filters are not sent', async () => {
    const { corridor, sent } = scripted(() => emptyPage);
    await corridor.payments.list({
      status: undefined,
      createdFrom: undefined,
      createdTo: undefined,
      limit: undefined,
      cursor: undefined,
    });
    await corridor.payments.list();
    await corridor.payments.list(undefined, {
      timeout: undefined,
      totalTimeout: undefined,
      maxRetries: undefined,
      signal: undefined,
      headers: undefined,
    });
    expect(sent.map(({ url }) => url.href)).toEqual(Array(3).fill('https://platform.example/api/v1/payment'));
  });

  test('an empty reply to a ticket is a reply', async () => {
    const { corridor, sent } = scripted(() => ({ id: 'rep_1' }));
    await corridor.support.reply('tic_1', {});
    expect(sent[0]?.body).toEqual({});
  });
});

describe('page sizes', () => {
  test.each([1, 25, 100])('%i is sent', async (limit) => {
    const { corridor, sent } = scripted(() => emptyPage);
    await corridor.customers.list({ limit });
    expect(sent[0]?.url.search).toBe(`?limit=${limit}`);
  });
});

describe('filters', () => {
  test('are encoded and arrive unchanged', async () => {
    const { corridor, sent } = scripted(() => emptyPage);
    const cursor = 'a+b/c==&x=%20 é😀#?';
    await corridor.payments.list({ cursor, status: 'PENDING_REVIEW' });
    expect(Object.fromEntries(sent[0]?.url.searchParams ?? [])).toEqual({ cursor, status: 'PENDING_REVIEW' });
  });

  test('with a lone surrogate, which no URL has, are rejected', async () => {
    expect(await failureOf(scripted(() => emptyPage).corridor.payments.list({ cursor: '\ud800' }))).toMatchObject({
      issues: [{ path: 'cursor' }],
    });
  });

  test('are sent under the names of the dialect', async () => {
    const filterNames = { createdFrom: 'created_after', limit: 'page[size]', cursor: 'after' };
    const { corridor, sent } = scripted(() => emptyPage, { dialect: { filterNames } });
    await corridor.payments.list({ createdFrom: '2026-01-01T00:00Z', limit: 5, cursor: 'abc', status: 'APPROVED' });
    expect(Object.fromEntries(sent[0]?.url.searchParams ?? [])).toEqual({
      created_after: '2026-01-01T00:00Z',
      'page[size]': '5',
      after: 'abc',
      status: 'APPROVED',
    });
  });

  test('are copied when the list is created', async () => {
    const { corridor, sent } = scripted((_, index) => ({
      items: [customer(index)],
      nextCursor: index < 2 ? `c${index}` : null,
      hasMore: index < 2,
    }));
    const query = { status: 'APPROVED' as 'APPROVED' | 'DRAFT', limit: 1 };
    const list = corridor.customers.list(query);
    query.status = 'DRAFT';
    for await (const _ of list) query.limit = 50;
    expect(sent.map(({ url }) => [url.searchParams.get('status'), url.searchParams.get('limit')])).toEqual(
      Array(3).fill(['APPROVED', '1']),
    );
  });
});

describe('ids', () => {
  test.each([
    ['a/b', 'a%2Fb'],
    ['a?b#c', 'a%3Fb%23c'],
    ['%2e%2e', '%252e%252e'],
    ['a b', 'a%20b'],
    ['é😀', '%C3%A9%F0%9F%98%80'],
    ['...', '...'],
    ['\\', '%5C'],
    ['a;b=c', 'a%3Bb%3Dc'],
  ])('%s is sent as one segment', async (id, segment) => {
    const { corridor, sent } = scripted(() => customer(1));
    await corridor.customers.get(id);
    expect(sent[0]?.url.pathname).toBe(`/api/v1/customers/${segment}`);
  });

  test('every id of a path that is wrong is named', async () => {
    const { corridor } = silent();
    const error = await failureOf(corridor.screening.get('', '..'));
    expect((error as InvalidRequestError).issues.map(({ path }) => path)).toEqual(['customerId', 'personId']);
  });
});

describe('an amount', () => {
  test.each([
    ['0', 'USD', 'must not be zero'],
    ['0.00', 'BTC', 'must not be zero'],
    ['10.005', 'USD', 'must have at most 2 decimals in USD (received 3)'],
    ['10.5', 'UGX', 'must have no decimals in UGX (received 1)'],
  ] as const)('of %s %s is not sent', async (amount, currencyCode, message) => {
    const { corridor, sent } = silent();
    const error = await failureOf(corridor.payments.create({ ...payment, amount, currencyCode }));
    expect(error).toMatchObject({ outcome: 'not-sent', issues: [{ path: 'amount', message }] });
    expect(sent).toEqual([]);
  });

  test.each([
    ['0.01', 'USD'],
    ['10.500', 'USD'],
    ['10.00', 'UGX'],
    ['0.000000000000000001', 'DAI'],
    ['0.123456789', 'BTC'],
  ] as const)('of %s %s is sent', async (amount, currencyCode) => {
    const { corridor, sent } = silent();
    await failureOf(corridor.payments.create({ ...payment, amount, currencyCode }));
    expect(sent).toHaveLength(1);
  });
});

describe('the amount format of a dialect', () => {
  test.each([
    [{ decimals: 3 }, 'USD', '10.005', ['10', '10.00', '10,005', '10.0050']],
    [{ decimals: 2 }, 'USD', '10.00', ['10', '10.0', '10.000', '10,00']],
    [{ decimals: 0 }, 'USD', '10', ['10.0', '10.', '10,']],
    [{ separator: ',' }, 'USD', '10,05', ['10.05', '10,005', '10,']],
    [{ separator: ',' }, 'USD', '10', ['10.']],
    [{ decimals: 2, separator: ',' }, 'UGX', '10,05', ['10', '10.05', '10,050']],
    [{}, 'USD', '10.05', ['10,05', '10.005']],
  ] as const)('%j: in %s, %s is sent, and none of %j', async (amountFormat, currencyCode, amount, others) => {
    const { corridor, sent } = silent({ dialect: { amountFormat } });
    for (const other of others)
      await expect(corridor.payments.create({ ...payment, currencyCode, amount: other })).rejects.toThrow(
        'amount must',
      );
    expect(sent).toEqual([]);
    await failureOf(corridor.payments.create({ ...payment, currencyCode, amount }));
    expect(sent).toHaveLength(1);
  });

  test('allows no amount of zero, and is shown by an example', async () => {
    const { corridor } = silent({ dialect: { amountFormat: { decimals: 3, separator: ',' } } });
    const create = (amount: string) => corridor.payments.create({ ...payment, amount });
    await expect(create('0,000')).rejects.toThrow('amount must not be zero');
    await expect(create('10')).rejects.toThrow('amount must be a decimal string such as "1250,000"');
  });
});

const anyJson = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('', '.', '..', 'USD', 'APPROVED', '1250.00', '2026-01-01T00:00Z', 'ops@partner.example'),
  fc.integer({ min: -5, max: 200 }),
  fc.double(),
  fc.boolean(),
  fc.constantFrom(null, undefined),
  fc.array(fc.string(), { maxLength: 3 }),
  fc.object({ maxDepth: 1 }),
  fc.date(),
);

/** Good input with one to three fields replaced, or added, by anything at all. */
const nearlyGood = fc.constantFrom(...endpointNames).chain((name) => {
  const field = fc.oneof(
    { weight: 9, arbitrary: fc.constantFrom(...Object.keys(goodInput[name]), 'memo') },
    { weight: 1, arbitrary: fc.string({ minLength: 1 }) },
  );
  return fc.tuple(fc.constant(name), fc.dictionary(field, anyJson, { minKeys: 1, maxKeys: 3, noNullPrototype: true }));
});

/** Whether a request that left is one that the specification allows, judged by its text alone. */
function isAllowed(name: EndpointName, { url, body, method }: Sent): boolean {
  const endpoint: EndpointDefinition<unknown> = endpoints[name];
  const path = new RegExp(`^${endpoint.path.replaceAll(/\{\w+\}/g, '(?!\\.{1,2}(?:/|$))[^/?#]+')}$`);
  const filters: Readonly<Record<string, unknown>> = Object.fromEntries(url.searchParams);
  const typed = 'limit' in filters ? { ...filters, limit: Number(filters['limit']) } : filters;
  const query = endpoint.query === undefined ? url.search === '' : endpoint.query().safeParse(typed).success;
  const content =
    endpoint.body === undefined ? body === undefined : endpoint.body(resolveDialect()).safeParse(body).success;
  return method === endpoint.method && path.test(url.pathname) && query && content;
}

test('a request is sent if and only if it breaks no rule', async () => {
  await fc.assert(
    fc.asyncProperty(nearlyGood, async ([name, changes]) => {
      const { corridor, sent } = silent();
      const given: Given = { ...goodInput[name], ...changes };
      const error = await failureOf(calls[name](corridor, given));
      expect(error).toBeInstanceOf(CorridorError);
      if (error instanceof InvalidRequestError) {
        expect(sent).toEqual([]);
        expect(error.issues.length).toBeGreaterThan(0);
      } else {
        expect(sent).toHaveLength(1);
        expect(isAllowed(name, sent[0] as Sent)).toBe(true);
      }
    }),
    { numRuns: 500 },
  );
}, 180_000);

test('an id reaches the platform unchanged, whatever it contains', async () => {
  const wellFormed = fc
    .string({ unit: 'binary', minLength: 1 })
    .filter((id) => id.isWellFormed() && id !== '.' && id !== '..');
  await fc.assert(
    fc.asyncProperty(wellFormed, wellFormed, async (customerId, personId) => {
      const { corridor, sent } = silent();
      await failureOf(corridor.screening.get(customerId, personId));
      const segments = sent[0]?.url.pathname.split('/') ?? [];
      expect(sent[0]?.url.origin).toBe('https://platform.example');
      expect(segments).toHaveLength(endpoints['screening.get'].path.split('/').length);
      expect([segments[4], segments[6]].map((segment) => decodeURIComponent(segment ?? ''))).toEqual([
        customerId,
        personId,
      ]);
    }),
    {
      examples: [
        ['https://evil.example/x', '//evil.example'],
        ['x/'.repeat(5_000), 'é'],
        ['%2e%2e', '../x'],
        ['?a=1', '#'],
        ['{id}', '\r\nx-evil: 1'],
        ['\\\\evil.example', '%00'],
      ],
    },
  );
}, 180_000);
