import { describe, expect, it, vi } from 'vitest';
import { InvalidResponseError, type CorridorOptions, type Drift } from 'corridor-sdk';
import { failureOf } from '../support/failure-of.ts';
import { customer, scripted, type Scripted } from '../support/scripted-fetch.ts';
import { runProgram } from '../examples/run-program.ts';

/** A client of a platform that responds with this text, and the reported drift. */
function responding(text: string, options: CorridorOptions = {}): Scripted & { readonly heard: Drift[] } {
  const heard: Drift[] = [];
  return { ...scripted(() => new Response(text), { onDrift: (drift) => heard.push(drift), ...options }), heard };
}

const page = (items: readonly unknown[]): string => JSON.stringify({ items, nextCursor: null, hasMore: false });
const note = { path: '', message: 'has more problems than these 100' };

describe('the number of differences that are reported', () => {
  it('is limited if every item of a page lacks every field', async () => {
    const { corridor, sent, heard } = responding(
      `{"items":[${'{},'.repeat(260_000)}{}],"nextCursor":null,"hasMore":false}`,
    );
    const error = await failureOf(corridor.customers.list(), InvalidResponseError);
    expect(error).toBeInstanceOf(InvalidResponseError);
    expect(error.issues).toHaveLength(101);
    expect(error.issues[0]).toEqual({ path: 'items[0].id', message: 'is missing' });
    expect(error.issues.at(-1)).toEqual(note);
    expect(error.message.length).toBeLessThan(1000);
    expect([sent.length, heard.length]).toEqual([1, 0]);
  });

  it.each<readonly [name: string, value: unknown]>([
    ['a list of numbers', Array.from({ length: 200_000 }, () => 1)],
    ['a list of lists', Array.from({ length: 200_000 }, () => [])],
    [
      'a list of records with unknown fields only',
      Array.from({ length: 100_000 }, (_, index) => ({ [`field${index}`]: 1 })),
    ],
  ])('is limited for %s', async (_, items) => {
    const error = await failureOf(responding(page(items as unknown[])).corridor.customers.list(), InvalidResponseError);
    expect(error).toBeInstanceOf(InvalidResponseError);
    expect(error.issues).toHaveLength(101);
  });

  const manyFields = {
    ...customer(1),
    ...Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`field${index}`, index])),
  };

  it('is limited for a record with many unknown fields, which is returned whole', async () => {
    const { corridor, heard } = responding(JSON.stringify(manyFields));
    expect(Object.keys(await corridor.customers.get('cus_1'))).toHaveLength(Object.keys(manyFields).length);
    expect(heard).toHaveLength(101);
    expect(heard[0]).toEqual({ endpoint: 'customers.get', path: 'field0', kind: 'unknown-field' });
    expect(heard.at(-1)).toEqual({ endpoint: 'customers.get', path: '', kind: 'truncated' });
  });

  it('is limited with validation: strict', async () => {
    const { corridor, heard } = responding(JSON.stringify(manyFields), { validation: 'strict' });
    expect((await failureOf(corridor.customers.get('cus_1'), InvalidResponseError)).issues).toHaveLength(101);
    expect(heard).toEqual([]);
  });

  it('is limited with validation: observe', async () => {
    const { corridor, heard } = responding(page(Array.from({ length: 50_000 }, () => ({}))), { validation: 'observe' });
    expect((await corridor.customers.list()).items).toHaveLength(50_000);
    expect(heard).toHaveLength(101);
    expect(heard.at(-1)).toMatchObject({ path: '', kind: 'truncated' });
  });

  it('hides no missing field that comes after many unknown ones', async () => {
    const { corridor, heard } = responding(page([manyFields, { ...customer(2), id: null }]));
    expect((await failureOf(corridor.customers.list(), InvalidResponseError)).issues).toEqual([
      { path: 'items[1].id', message: 'must not be null' },
    ]);
    expect(heard).toHaveLength(101);
  });

  it('has no note if there are exactly 100 differences', async () => {
    const { corridor, heard } = responding(
      page(Array.from({ length: 100 }, (_, index) => ({ ...customer(index), tier: 'gold' }))),
    );
    await corridor.customers.list();
    expect(heard.map(({ path }) => path)).toEqual(Array.from({ length: 100 }, (_, index) => `items[${index}].tier`));
  });

  it('is limited in a request', async () => {
    const { corridor, sent } = responding('{}');
    const error = await failureOf(
      corridor.payments.create({ documentIds: Array.from({ length: 200_000 }, () => '') } as never),
    );
    expect(error).toMatchObject({ code: 'invalid-request', outcome: 'not-sent' });
    expect((error as InvalidResponseError).issues).toHaveLength(101);
    expect(sent).toEqual([]);
  });

  it('does not grow with the length of a name or a value', async () => {
    const huge = 'x'.repeat(1_000_000);
    const { corridor, heard } = responding(JSON.stringify({ ...customer(1), status: huge, [huge]: huge }));
    await corridor.customers.get('cus_1');
    expect(heard.map(({ kind }) => kind)).toEqual(['unknown-value', 'unknown-field']);
    expect(heard.every(({ path }) => path.length <= 501)).toBe(true);
  });
});

it('a response below the size limit that lacks every field is validated in a heap of 64 MB', async () => {
  const { code, output } = await runProgram('test/security/bad-page.ts', [], {
    NODE_OPTIONS: '--max-old-space-size=64',
  });
  expect([code, output]).toEqual([0, 'invalid-response, 101 issues']);
});

describe('an exception during validation', () => {
  const failing = (status: number): Scripted => {
    const isArray = Array.isArray;
    vi.spyOn(Array, 'isArray').mockImplementation((value): value is unknown[] => {
      if (isArray(value) && value[0] === 'fails') throw new RangeError('Maximum call stack size exceeded');
      return isArray(value);
    });
    const body = '{"items":["fails"],"nextCursor":null,"hasMore":false}';
    return scripted(() => new Response(body, { status, headers: { 'content-type': 'application/json' } }));
  };

  it('is an invalid response, and not retried', async () => {
    const { corridor, sent } = failing(200);
    const error = await Promise.resolve(corridor.customers.list())
      .catch((reason: unknown) => reason)
      .finally(() => vi.restoreAllMocks());
    expect(error).toBeInstanceOf(InvalidResponseError);
    expect(error).toMatchObject({
      outcome: 'applied',
      issues: [{ path: '', message: 'could not be validated (RangeError)' }],
    });
    expect(sent).toHaveLength(1);
  });

  it('does not hide the status of an error response', async () => {
    const { corridor, sent } = failing(404);
    const error = await Promise.resolve(corridor.customers.list())
      .catch((reason: unknown) => reason)
      .finally(() => vi.restoreAllMocks());
    expect(error).toMatchObject({ code: 'not-found', status: 404, body: undefined });
    expect(sent).toHaveLength(1);
  });
});
