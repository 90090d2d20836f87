import { describe, expect, test } from 'vitest';
import { readMarkdown } from '../docs/markdown.ts';
import { read, typescriptIn } from '../../scripts/repository/tree.ts';

const number = (id: string): number => Number(id.slice(2));
const inOrder = (ids: Iterable<string>): string[] =>
  [...new Set(ids)].toSorted((left, right) => number(left) - number(right));
const idsIn = (text: string): string[] =>
  [...text.matchAll(/Assumed: (.*?)(?:\*\/|$)/gm)].flatMap(([, rest = '']) => rest.match(/\bA-\d+/g) ?? []);
/** The rows of the options in the table of the mock's behavior, which are marks too. */
const rowsIn = (text: string): string[] =>
  [...text.matchAll(/(?:row: |(?:optional|choice)(?:<[^(]*>)?\(\s*)'(A-\d+)'/g)].map(([, row = '']) => row);

const marked = inOrder(typescriptIn('src').flatMap(({ text }) => [...idsIn(text), ...rowsIn(text)]));
const rows = [...readMarkdown(read('docs/assumptions.md').text).values()]
  .flatMap(({ tables }) => tables.flat())
  .filter((row) => /^A-\d+$/.test(Object.values(row)[0] ?? ''));
const listed = rows.map((row) => Object.values(row)[0] ?? '');

describe('every assumption', () => {
  test('that is marked in src has a row in docs/assumptions.md, and every row is marked in src', () => {
    expect(marked).toEqual(inOrder(listed));
  });

  test('has one row, numbered in order, with every cell filled', () => {
    expect(listed).toEqual(Array.from({ length: listed.length }, (_, index) => `A-${index + 1}`));
    expect(rows.filter((row) => Object.keys(row).length < 5 || Object.values(row).includes(''))).toEqual([]);
  });
});
