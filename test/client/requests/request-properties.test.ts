import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CorridorError, InvalidRequestError, endpointNames, type EndpointName } from 'corridor-sdk';
import { failureOf } from '../../simulation/failure.js';
import { resolveDialect } from '../../../src/contract/dialect.js';
import { type EndpointDefinition, endpoints } from '../../../src/contract/endpoints.js';
import { calls, goodInput, type Given } from '../calls.js';
import { silent, type Sent } from '../scripted-fetch.js';

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
  );
}, 180_000);
