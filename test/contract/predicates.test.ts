import fc from 'fast-check';
import { safeParse } from 'zod/v4/core';
import { describe, expect, test } from 'vitest';
import { emittedPredicate } from '../../src/contract/emit.js';
import type { Endpoint } from '../../src/contract/endpoint.js';
import { endpointNames, endpoints, type EndpointName } from '../../src/contract/endpoints.js';
import { outlineOf, type Outline } from '../../src/contract/outline.js';
import { predicateOf } from '../../src/contract/predicate.js';
import { answersOfMock } from '../openapi/answers-of-mock.js';
import { changedRecords } from '../openapi/changed-records.js';

// Three ways to hold an answer against the contract, of which zod's has the say: the fast ones must let pass what it lets pass.
const rows = endpointNames.flatMap((name) => {
  const endpoint: Endpoint<unknown> = endpoints[name];
  const schema = endpoint.result?.();
  return schema === undefined ? [] : [{ name, schema }];
});

const { answered } = await answersOfMock();
const answersOf = (name: EndpointName): readonly unknown[] => (answered.get(name) ?? []).slice(0, 12);

describe.each(rows)('$name', ({ name, schema }) => {
  const outline = outlineOf(schema) as Outline;

  test('has an outline and answers to hold against it', () => {
    expect(outline).toBeDefined();
    expect(answersOf(name)).not.toEqual([]);
  });

  test('is held alike by zod, by plain functions and by emitted code', () => {
    const [plain, emitted] = [predicateOf(outline), emittedPredicate(outline)];
    for (const answer of answersOf(name)) {
      expect([plain(answer), emitted(answer), safeParse(schema, answer).success]).toEqual([true, true, true]);
      for (const { what, record } of changedRecords(answer)) {
        const passes = safeParse(schema, record).success;
        expect({ what, plain: plain(record), emitted: emitted(record) }).toEqual({ what, plain: passes, emitted: passes });
      }
    }
  });

  test('lets nothing pass that zod refuses, whatever JSON it is', () => {
    const [plain, emitted] = [predicateOf(outline), emittedPredicate(outline)];
    fc.assert(fc.property(fc.jsonValue(), (value) => {
      if (plain(value) || emitted(value)) expect(safeParse(schema, value).success).toBe(true);
    }), { numRuns: 300 });
  });

  test('does not depend on the order of keys', () => {
    const [plain, emitted] = [predicateOf(outline), emittedPredicate(outline)];
    for (const answer of answersOf(name)) {
      const turned = reversed(answer);
      expect([plain(answer), plain(turned), plain(answer), emitted(turned)]).toEqual([true, true, true, true]);
    }
  });
});

test('a record without keys is not one with required fields', () => {
  const record: Outline = { kind: 'record', isOpen: true, fields: [{ name: 'id', isOptional: false, outline: { kind: 'anything' } }] };
  for (const test_ of [predicateOf(record), emittedPredicate(record)]) {
    expect([test_({}), test_({ id: undefined }), test_({ id: null }), test_([]), test_(null)]).toEqual([false, false, true, false, false]);
  }
});

test('a field that was added to the prototype of all objects is no field of a record', () => {
  const record: Outline = { kind: 'record', isOpen: false, fields: [{ name: 'id', isOptional: false, outline: { kind: 'typeof', type: 'string' } }] };
  const [plain, emitted] = [predicateOf(record), emittedPredicate(record)];
  const polluted = Object.prototype as { other?: string };
  polluted.other = 'x';
  try {
    expect([plain({ id: '1' }), emitted({ id: '1' })]).toEqual([true, false]);
  } finally {
    delete polluted.other;
  }
});

/** The same JSON with the keys of every object turned round. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).toReversed().map(([key, inner]) => [key, reversed(inner)]));
}
