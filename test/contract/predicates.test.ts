import fc from 'fast-check';
import { safeParse } from 'zod/v4/core';
import * as z from 'zod/mini';
import { describe, expect, test } from 'vitest';
import { type EndpointDefinition, endpointNames, endpoints, type EndpointName } from '../../src/contract/endpoints.ts';
import { predicateOf } from '../../src/contract/predicate.ts';
import { collectMockResponses } from '../openapi/mock-responses.ts';
import { changedRecords } from '../openapi/changed-records.ts';

// There are two ways to validate a response. zod is authoritative: the predicate must accept only what it accepts.
const rows = endpointNames.flatMap((name) => {
  const endpoint: EndpointDefinition<unknown> = endpoints[name];
  const schema = endpoint.result?.();
  return schema === undefined ? [] : [{ name, schema }];
});

const { responses } = await collectMockResponses();
const responsesOf = (name: EndpointName): readonly unknown[] => (responses.get(name) ?? []).slice(0, 12);

describe.each(rows)('$name', ({ name, schema }) => {
  const predicate = predicateOf(schema);

  test('has responses to compare it with', () => {
    expect(responsesOf(name)).not.toEqual([]);
  });

  test('is validated alike by zod and by the predicate', () => {
    for (const response of responsesOf(name)) {
      expect([predicate(response), safeParse(schema, response).success]).toEqual([true, true]);
      for (const { what, record } of changedRecords(response))
        expect({ what, passes: predicate(record) }).toEqual({ what, passes: safeParse(schema, record).success });
    }
  });

  test('accepts no JSON that zod rejects', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        if (predicate(value)) expect(safeParse(schema, value).success).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  test('does not depend on the order of keys', () => {
    for (const response of responsesOf(name))
      expect([response, reversed(response), response].map(predicate)).toEqual([true, true, true]);
  });
});

test('a record without keys does not match required fields', () => {
  const predicate = predicateOf(z.looseObject({ id: z.unknown() }));
  expect([{}, { id: undefined }, { id: null }, [], null].map(predicate)).toEqual([false, false, true, false, false]);
});

test('a number is finite, as in zod', () => {
  const schema = z.number();
  const values = [0, -1.5, Number.NaN, Number.POSITIVE_INFINITY, '1', null];
  expect(values.map(predicateOf(schema))).toEqual(values.map((value) => safeParse(schema, value).success));
});

test('a field of Object.prototype is not a field of a record', () => {
  const predicate = predicateOf(z.strictObject({ id: z.string() }));
  const polluted = Object.prototype as { other?: string };
  polluted.other = 'x';
  try {
    expect(predicate({ id: '1' })).toBe(true);
  } finally {
    delete polluted.other;
  }
});

/** The same JSON with the keys of every object turned round. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, inner]) => [key, reversed(inner)]),
  );
}
