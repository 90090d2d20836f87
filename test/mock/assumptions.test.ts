import { createMockPlatform } from 'corridor-sdk/mock';
import { describe, expect, test } from 'vitest';
import { readMarkdown } from '../contract/markdown.js';
import { read } from '../repository/tree.js';

const rows = [...readMarkdown(read('docs/assumptions.md').text).values()].flatMap(({ tables }) => tables.flat());
const cell = (id: string, column: string): string => rows.find((row) => row['id'] === id)?.[column] ?? '';
const told = createMockPlatform().assumptions();
const optionsIn = (text: string): string[] => [...text.matchAll(/option `(\w+)`/g)].map(([, name = '']) => name);

describe('the assumptions that a platform tells', () => {
  test('are those of the table, and all of them', () => {
    expect([...new Set(told.map(({ id }) => id))]).toEqual(rows.map((row) => row['id']));
  });

  test('name the options that the table names, row by row', () => {
    const inTable = rows.map((row) => [row['id'], optionsIn(row['what the mock does'] ?? '')]);
    const inCode = rows.map((row) => [row['id'], told.flatMap(({ id, option }) => (id === row['id'] ? (option ?? []) : []))]);
    expect(inCode).toEqual(inTable);
  });

  test('say in its words what is not shown', () => {
    expect(told.filter(({ id, notShown }) => !cell(id, 'not shown').includes(notShown))).toEqual([]);
  });

  test('carry the present values, as plain JSON', () => {
    const platform = createMockPlatform({
      quotes: 'reusable', pageSize: 7, quoteLifetime: 60, rateLimit: { requests: 5, per: { minutes: 1 } }, listLag: { seconds: 3 },
      dialect: { filters: { status: 'state' }, amount: /^\d+$/ }, transitions: { payments: { COMPLETED: [] } }, success: { 'payments.create': 200 },
    });
    const values = platform.assumptions();
    const valuesOf = (option: string): unknown[] => values.filter((assumption) => assumption.option === option).map(({ value }) => value);
    expect(JSON.parse(JSON.stringify(values))).toEqual(values.map(({ option, ...rest }) => (option === undefined ? rest : { ...rest, option })));
    expect(['quotes', 'pageSize', 'quoteLifetime', 'rateLimit', 'listLag'].flatMap(valuesOf)).toEqual(['reusable', 7, '60 s', { requests: 5, per: { seconds: 60 } }, { seconds: 3 }]);
    expect(valuesOf('dialect')).toMatchObject([{ status: 'state', limit: 'limit' }, ['x-request-id'], '/^\\d+$/']);
    expect(valuesOf('transitions')).toMatchObject([{ payments: { COMPLETED: [] } }, ['COMPLETED', 'RETURNED', 'REJECTED', 'CANCELLED']]);
    expect(valuesOf('success')).toMatchObject([{ 'payments.create': 200, 'payments.list': 200 }]);
    platform.assume({ listLag: { reads: 4 } });
    expect(platform.assumptions().find(({ option }) => option === 'listLag')?.value).toEqual({ reads: 4 });
  });
});
