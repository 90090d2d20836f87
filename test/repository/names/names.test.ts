import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { everything, parse, type SourceFile } from '../tree.js';
import { bannedWords, bannedTypes, bannedValues } from './banned-names.js';

/** Returns the name that a node declares. Shorthand properties repeat a declaration elsewhere. */
function declaredName(node: ts.Node): ts.Node | undefined {
  const declares =
    ts.isDeclarationStatement(node) ||
    ts.isClassElement(node) ||
    ts.isTypeElement(node) ||
    ts.isVariableDeclaration(node) ||
    ts.isParameter(node) ||
    ts.isBindingElement(node) ||
    ts.isPropertyAssignment(node) ||
    ts.isImportSpecifier(node) ||
    ts.isExportSpecifier(node) ||
    ts.isTypeParameterDeclaration(node);
  return declares ? node.name : undefined;
}

/** Returns the banned names of a file, each with the name to use instead. */
function bannedIn(file: SourceFile): string[] {
  const found = file.path
    .split(/[/.-]/)
    .flatMap((word) => (Object.hasOwn(bannedWords, word) ? [`${file.path}: ${word}, use ${bannedWords[word]}`] : []));
  const tree = parse(file);
  const visit = (node: ts.Node): void => {
    const name = declaredName(node);
    if (name !== undefined && (ts.isIdentifier(name) || ts.isPrivateIdentifier(name))) {
      const text = name.text.replace('#', '');
      const instead = [bannedTypes, bannedValues].find((table) => Object.hasOwn(table, text))?.[text];
      if (instead !== undefined)
        found.push(
          `${file.path}:${tree.getLineAndCharacterOfPosition(name.getStart()).line + 1}: ${text}, use ${instead}`,
        );
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}

test('no file, folder or declaration has a banned name', () => {
  // The tables of banned names are property assignments, too.
  const files = everything().filter(
    ({ path }) =>
      /^(?:src|test|examples|scripts|bench)\/.*\.[cm]?[jt]s$/.test(path) &&
      path !== 'test/repository/names/banned-names.ts',
  );
  expect(files.flatMap(bannedIn)).toEqual([]);
}, 120_000);

describe('a banned name is found', () => {
  test.each([
    ['in a path', 'src/mock/refusal/payments.ts', ''],
    ['in the name of a file', 'test/mock/spoiled-body.test.ts', ''],
    ['as a class', 'src/probe.ts', 'class Refusal {}'],
    ['as a type', 'src/probe.ts', 'export type Arrival = string;'],
    ['as a parameter', 'src/probe.ts', 'const a = (arrival: string) => 1;'],
    ['as a destructured name', 'src/probe.ts', 'const { body: arrival } = value;'],
    ['as a private field', 'src/probe.ts', 'class A { #trail = 1; }'],
    ['as a key of a literal', 'src/probe.ts', 'call({ settleWindow: 1 });'],
  ])('%s', (_, path, text) => {
    expect(bannedIn({ path, text })).toHaveLength(1);
  });
});

test('strings, comments and names of others may use any word', () => {
  expect(bannedIn({ path: 'src/probe.ts', text: "// arrival\nconst request = other.arrival ?? 'arrival';" })).toEqual(
    [],
  );
});
