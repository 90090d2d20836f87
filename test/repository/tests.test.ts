import ts from 'typescript';
import { expect, test } from 'vitest';
import { parse, typescriptIn, type SourceFile } from './tree.js';

const runners = ['test', 'it', 'describe', 'bench', 'suite'];
const banned = ['skip', 'only', 'todo', 'skipIf', 'runIf', 'fails'];

/** The calls in a test file that leave a test out, or that pass when it fails. */
function leftOut(file: SourceFile): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (
      ts.isPropertyAccessExpression(node) &&
      banned.includes(node.name.text) &&
      runners.includes(/^\w+/.exec(node.expression.getText())?.[0] ?? '')
    )
      found.push(`${file.path}: ${node.getText()}`);
    if (
      ts.isPropertyAssignment(node) &&
      ['skip', 'only', 'todo', 'fails'].includes(node.name.getText()) &&
      ts.isObjectLiteralExpression(node.parent) &&
      ts.isCallExpression(node.parent.parent) &&
      runners.includes(/^\w+/.exec(node.parent.parent.expression.getText())?.[0] ?? '')
    )
      found.push(`${file.path}: ${node.getText()}`);
    ts.forEachChild(node, visit);
  };
  visit(parse(file));
  return found;
}

test('every test runs', () => {
  expect(typescriptIn('test').flatMap(leftOut)).toEqual([]);
});

test('every file of tests is found by its name', () => {
  const strays = typescriptIn('test').filter(
    ({ path, text }) =>
      !/\.test(?:-d)?\.ts$/.test(path) && /from 'vitest'/.test(text) && /^\s*(?:test|it|describe)\(/m.test(text),
  );
  expect(strays.map(({ path }) => path)).toEqual([]);
});

test.each([
  'test.skip("a", () => {})',
  'describe.only("a", () => {})',
  'it.todo("a")',
  'test.concurrent.only("a", () => {})',
  'test("a", { skip: true }, () => {})',
  'test.each([1]).skip("a")',
  'test.skipIf(true)("a")',
])('%s is detected', (text) => {
  expect(leftOut({ path: 'test/probe.test.ts', text })).toHaveLength(1);
});

test('other uses of the same word are not reported', () => {
  expect(
    leftOut({ path: 'test/probe.test.ts', text: 'reader.skip(2); test("skip", () => { call({ only: 1 }); });' }),
  ).toEqual([]);
});
