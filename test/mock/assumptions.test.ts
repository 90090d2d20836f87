import { createMockPlatform } from 'corridor-sdk/mock';
import { describe, expect, test } from 'vitest';
import { readMarkdown } from '../docs/markdown.ts';
import { read } from '../../scripts/repository/tree.ts';

const rows = [...readMarkdown(read('docs/assumptions.md').text).values()].flatMap(({ tables }) => tables.flat());
const cell = (id: string, column: string): string => rows.find((row) => row['id'] === id)?.[column] ?? '';
const assumptions = createMockPlatform().assumptions();
const optionsIn = (text: string): string[] => [...text.matchAll(/option `(\w+)`/g)].map(([, name = '']) => name);

describe('platform.assumptions()', () => {
  test('lists every row of the table', () => {
    expect([...new Set(assumptions.map(({ id }) => id))]).toEqual(rows.map((row) => row['id']));
  });

  test('names the same options as the table', () => {
    const inTable = rows.map((row) => [row['id'], optionsIn(row['mock'] ?? '')]);
    const inCode = rows.map((row) => [
      row['id'],
      assumptions.flatMap(({ id, option }) => (id === row['id'] ? (option ?? []) : [])),
    ]);
    expect(inCode).toEqual(inTable);
  });

  test('uses the wording of the table for its questions', () => {
    expect(assumptions.filter(({ id, question }) => !cell(id, 'open question').includes(question))).toEqual([]);
  });

  test('contains the current values as plain JSON', () => {
    const platform = createMockPlatform({
      quotes: 'reusable',
      pageSize: 7,
      quoteLifetime: 60,
      rateLimit: { requests: 5, per: { minutes: 1 } },
      listLag: { seconds: 3 },
      dialect: { filterNames: { status: 'state' }, amountFormat: { decimals: 0 } },
      transitions: { payments: { COMPLETED: [] } },
      successStatuses: { 'payments.create': 200 },
    });
    const values = platform.assumptions();
    const valuesOf = (option: string): unknown[] =>
      values.filter((assumption) => assumption.option === option).map(({ value }) => value);
    expect(JSON.parse(JSON.stringify(values))).toEqual(
      values.map(({ option, ...rest }) => (option === undefined ? rest : { ...rest, option })),
    );
    expect(['quotes', 'pageSize', 'quoteLifetime', 'rateLimit', 'listLag'].flatMap(valuesOf)).toEqual([
      'reusable',
      7,
      '60 s',
      { requests: 5, per: { seconds: 60 } },
      { seconds: 3 },
    ]);
    expect(valuesOf('dialect')).toMatchObject([{ status: 'state', limit: 'limit' }, ['x-request-id'], { decimals: 0 }]);
    expect(valuesOf('transitions')).toMatchObject([
      { payments: { COMPLETED: [] } },
      ['COMPLETED', 'RETURNED', 'REJECTED', 'CANCELLED'],
    ]);
    expect(valuesOf('successStatuses')).toMatchObject([{ 'payments.create': 200, 'payments.list': 200 }]);
  });
});
