import { readFileSync } from 'node:fs';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { Corridor, endpointNames, type EndpointName } from 'corridor-sdk';
import { createMockPlatform } from 'corridor-sdk/mock';
import { failureOf } from '../support/failure-of.ts';
import { pathParameters, endpoints } from '../../src/contract/endpoints.ts';
import { calls, goodInput } from '../support/calls.ts';
import { silent } from '../support/scripted-fetch.ts';
import { addExampleRecords, endpointExamples } from '../../scripts/specification/specification.ts';

const parse = (path: string): ts.SourceFile =>
  ts.createSourceFile(
    path,
    readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8'),
    ts.ScriptTarget.Latest,
    true,
  );
const within = (node: ts.Node): ts.Node[] => [node, ...node.getChildren().flatMap(within)];
const placeOf = (name: EndpointName): { readonly namespace: string; readonly method: string } => {
  const [namespace = '', method = ''] = name.split('.');
  return { namespace, method };
};

test('the table of endpoints has each method and path once', () => {
  expect(new Set(endpointNames.map((name) => `${endpoints[name].method} ${endpoints[name].path}`)).size).toBe(
    endpointNames.length,
  );
});

describe.each(endpointNames)('%s', (name) => {
  const { method, path, success } = endpoints[name];
  const { namespace, method: call } = placeOf(name);

  test('has a call that sends one request with its method and path', async () => {
    const { corridor, sent } = silent();
    const ids = Object.fromEntries(pathParameters(path).map((parameter) => [parameter, `<${parameter}>`]));
    await failureOf(calls[name](corridor, { ...goodInput[name], ...ids }));
    expect(sent.map((request) => `${request.method} ${decodeURIComponent(request.url.pathname)}`)).toEqual([
      `${method} ${path.replaceAll('{', '<').replaceAll('}', '>')}`,
    ]);
  });

  test('has a call with its name', () => {
    const resource = silent().corridor[namespace as keyof Corridor] as unknown as Readonly<Record<string, unknown>>;
    expect(resource[call]).toBeTypeOf('function');
  });

  test('has a response of the mock that conforms to the contract', async () => {
    const platform = createMockPlatform();
    const drift: unknown[] = [];
    const corridor = new Corridor({
      ...platform.clientOptions(),
      validation: 'strict',
      onDrift: (result) => drift.push(result),
    });
    addExampleRecords(platform);
    await calls[name](corridor, endpointExamples[name].input);
    expect(platform.requests.to(name).map(({ status, issues, error }) => ({ status, issues, error }))).toEqual([
      { status: success, issues: [], error: undefined },
    ]);
    expect(drift).toEqual([]);
  });

  test('has a docstring with its method and path and with an example', () => {
    const declared = within(parse(`src/resources/${namespace}.ts`))
      .filter(ts.isMethodDeclaration)
      .find((member) => member.name.getText() === call);
    const [comment] = declared === undefined ? [] : ts.getJSDocCommentsAndTags(declared).filter(ts.isJSDoc);
    const text = comment?.getText() ?? '';
    expect(text).toContain(`Calls \`${method} ${path}\`.`);
    expect(text.split('@example')[1]).toContain(`corridor.${namespace}.${call}(`);
  });
});
