import { readdirSync, readFileSync } from 'node:fs';
import * as z from 'zod/mini';
import { describe, expect, test } from 'vitest';
import { endpoints } from '../../src/contract/endpoints.js';
import { dialectOptions } from '../../src/contract/dialect.js';
import { errorBody } from '../../src/contract/schema/error-body.js';
import { pageSize } from '../../src/contract/schema/pagination.js';
import { differences, factsOf, type Facts } from './description.js';
import { exceptions, withExceptions } from './exceptions.js';
import { mutations, wordsStatedIn, type Shape } from './mutations.js';
import { readContract } from './read-schema.js';
import { readLimits, readSpecification } from './read-specification.js';

const source = readFileSync(new URL('../../docs/platform-specification.md', import.meta.url), 'utf8');
const specified = factsOf(readSpecification(source));
const contract = factsOf(readContract(endpoints));
const expected = withExceptions(specified);
const differencesFrom = (facts: Facts): string[] => differences(withExceptions(facts), contract);

describe('the contract and the specification', () => {
  test('agree on every endpoint, field, type, value and limit, and neither has more', () => {
    expect(differencesFrom(specified)).toEqual([]);
  });

  test('have every endpoint, 21 currencies and three sets of statuses', () => {
    const values = (place: string): number | undefined => contract.get(place)?.split(' | ').length;
    expect([...contract.keys()].filter((place) => /^\d+$/.test(place))).toEqual(
      Object.keys(endpoints).map((_, index) => String(index + 1)),
    );
    expect(Object.keys(endpoints).length).toBeGreaterThanOrEqual(14);
    expect(values('1 request.currencyCode')).toBe(21);
    expect([
      values('2 response.items[].status'),
      values('3 response.items[].status'),
      values('6 response.items[].status'),
    ]).toEqual([8, 6, 5]);
  });

  test.each(readLimits(source).map((row) => [row['Limit'], row['Applies to'], row['Value']] as const))(
    'agree on the limit of %s (%s)',
    (limit = '', where = '', value = '') => {
      if (limit === 'default page size') return expect(String(pageSize.default)).toBe(value);
      const [, field] = /^(\w+) (?:length|count)$/.exec(limit) ?? [];
      const places =
        limit === 'page size'
          ? (where.match(/\d+/g) ?? []).map((number) => `${number} query.limit`)
          : [`1 request.${field}`];
      const rule = value.replace(/^integer /, '').replace(/(?<=1 (?:item|character))$/, 's');
      expect(places).not.toHaveLength(0);
      for (const place of places) expect(contract.get(place)?.split(', ')).toContain(rule);
    },
  );

  test('agree on the default page size in the details of endpoint 8', () => {
    expect(source).toContain(
      `\`limit\` integer, default ${pageSize.default}, range ${pageSize.smallest} to ${pageSize.largest}`,
    );
  });

  test('differ only where an exception has something to change', () => {
    const idle = exceptions.filter(
      (exception) =>
        differencesFrom(specified).length ===
        differences(
          withExceptions(
            specified,
            exceptions.filter((other) => other !== exception),
          ),
          contract,
        ).length,
    );
    expect(idle.map(({ assumption, at }) => `${assumption} at ${String(at)}`)).toEqual([]);
  });

  test('have no schema outside the table of endpoints, except those of error bodies, of a dialect and of options', async () => {
    const reached = new Set<unknown>([errorBody(), dialectOptions()]);
    readContract(endpoints, (schema) => reached.add(schema));
    const folder = new URL('../../src/contract/', import.meta.url);
    const outside: string[] = [];
    for (const file of readdirSync(folder).filter((name) => name.endsWith('.ts') && name !== 'options.ts')) {
      const exported = (await import(new URL(file, folder).href)) as Record<string, unknown>;
      for (const [name, value] of Object.entries(exported)) {
        if (typeof value !== 'function' || value.length > 0) continue;
        const made: unknown = value();
        if (made instanceof z.core.$ZodType && !reached.has(made)) outside.push(`${file}: ${name}`);
      }
    }
    expect(outside).toEqual([]);
  });
});

describe('the comparison notices', () => {
  const sayDifferent = (mutant: string): boolean => {
    try {
      return differencesFrom(factsOf(readSpecification(mutant))).length > 0;
    } catch {
      return true; // The reader throws for text that it cannot parse.
    }
  };

  test('each field name and value that is changed in the specification', () => {
    const words = new Set(
      [...specified].flatMap(([place, says]) => [...(place.match(/\w+/g) ?? []), ...(says.match(/\w+/g) ?? [])]),
    );
    const stated = wordsStatedIn(source).filter(({ word }) => words.has(word));
    const unnoticed = stated.filter(
      ({ word, at }) => !sayDifferent(`${source.slice(0, at)}other${source.slice(at + word.length)}`),
    );
    expect(stated.length).toBeGreaterThan(300);
    expect(unnoticed).toEqual([]);
  });

  test('each row that is removed from a table of fields, states or endpoints', () => {
    const lines = source.split('\n');
    const isRow = (index: number): boolean => lines[index]?.startsWith('|') === true;
    const rows = [...lines.keys()].filter((index) => isRow(index) && isRow(index - 1) && isRow(index - 2));
    // Credentials are no part of the schemas; the rows of limits have a test each, above.
    const elsewhere =
      /^\| (?:x-api-key|Authorization|page size|default page size|memo length|purposeOfPayment length|documentIds count) \|/;
    const unnoticed = rows
      .filter((index) => !sayDifferent(lines.toSpliced(index, 1).join('\n')))
      .map((index) => lines[index] ?? '');
    expect(rows.length).toBeGreaterThan(85);
    expect(unnoticed.filter((row) => !elsewhere.test(row))).toEqual([]);
  });

  test.each(Object.entries(mutations))('each field of a schema that %s', (_, mutate) => {
    const shapes = shapesOf();
    const unnoticed: string[] = [];
    for (const shape of shapes) {
      for (const name of Object.keys(shape)) {
        const original = { ...shape };
        mutate(shape, name);
        if (differences(expected, factsOf(readContract(endpoints))).length === 0) unnoticed.push(name);
        for (const key of Object.keys(shape)) delete shape[key];
        Object.assign(shape, original);
      }
    }
    expect(shapes.length).toBeGreaterThan(30);
    expect(unnoticed).toEqual([]);
    expect(factsOf(readContract(endpoints))).toEqual(contract);
  });
});

function shapesOf(): Shape[] {
  const shapes = new Set<Shape>();
  readContract(endpoints, (schema) => {
    if (schema instanceof z.core.$ZodObject) shapes.add(schema._zod.def.shape as Shape);
  });
  return [...shapes];
}
