import { readFileSync } from 'node:fs';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { Corridor, endpointNames, type EndpointName } from 'corridor-sdk';
import { createMockPlatform, type MockPlatform } from 'corridor-sdk/mock';
import { failureOf } from '../simulation/failure.js';
import { pathParameters, endpoints } from '../../src/contract/endpoints.js';
import { calls, forEachEndpoint, goodInput, idsOf, type Given } from '../client/calls.js';
import { silent } from '../client/scripted-fetch.js';

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

/** Returns the input of each call on a platform with all records. */
function inputsOn(platform: MockPlatform): Readonly<Record<EndpointName, Given>> {
  const { id: customer } = platform.customers.add({ status: 'PENDING_REVIEW' });
  platform.customers.transition(customer, 'APPROVED');
  const { id: person } = platform.persons.add({ customerId: customer });
  const { id: document } = platform.documents.add({ customerId: customer });
  const documentIds = [document];
  const payable = platform.payments.createParams({ customerId: customer, documentIds });
  const { id: ticket, attachments } = platform.tickets.add();
  platform.payments.addMany(2);
  const there: Readonly<Record<string, string | undefined>> = {
    customer,
    person,
    document,
    ticket,
    attachment: attachments[0]?.id,
  };
  const bodies: Partial<Record<EndpointName, Given>> = {
    'payments.create': {
      ...goodInput['payments.create'],
      ...payable,
    },
    'support.reply': goodInput['support.reply'],
  };
  return forEachEndpoint((name) => ({
    ...bodies[name],
    ...Object.fromEntries(idsOf(name).map(([parameter, noun]) => [parameter, there[noun]])),
  }));
}

/** The titles of the groups of tests in a file that run with every adapter, each with the calls its tests make. */
function testedCalls(path: string): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const node of within(parse(path))) {
    if (!ts.isCallExpression(node) || node.expression.getText() !== 'describe.each(adapters)') continue;
    const [title, body] = node.arguments;
    if (title === undefined || body === undefined || !ts.isStringLiteral(title)) continue;
    const tests = within(body).filter(
      (inner): inner is ts.CallExpression =>
        ts.isCallExpression(inner) && /^test(\.each\(.*\))?$/s.test(inner.expression.getText()),
    );
    found.set(
      title.text,
      tests.flatMap((inner) =>
        within(inner)
          .filter(ts.isCallExpression)
          .map((call) => call.expression.getText()),
      ),
    );
  }
  return found;
}

test('the table of endpoints has the numbers of the specification, each once', () => {
  expect(endpointNames.map((name) => endpoints[name].number)).toEqual(endpointNames.map((_, index) => index + 1));
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
    const input = inputsOn(platform)[name];
    await calls[name](corridor, input);
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

  test('has tests with every adapter', () => {
    const tested = testedCalls(`test/resources/${namespace}.test.ts`).get(`${name} over $name`);
    expect(tested?.some((made) => made.endsWith(`.${namespace}.${call}`))).toBe(true);
  });
});

test('the adapters of the resources’ tests are the fetch of the platform and real HTTP', () => {
  const names = within(parse('test/resources/adapters.ts'))
    .filter(ts.isPropertyAssignment)
    .filter((property) => property.name.getText() === 'name');
  expect(names.map((property) => property.initializer.getText())).toEqual(["'platform.fetch'", "'real HTTP'"]);
});
