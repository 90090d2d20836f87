import { readFileSync } from 'node:fs';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { Corridor, endpointNames, type EndpointName } from 'corridor-sdk';
import { createMockPlatform, type MockPlatform } from 'corridor-sdk/mock';
import { pathParameters } from '../../src/contract/endpoint.js';
import { endpoints } from '../../src/contract/endpoints.js';
import { calls, goodInput, type Given } from '../client/calls.js';
import { rejection, silent } from '../client/scripted.js';

const parse = (path: string): ts.SourceFile =>
  ts.createSourceFile(path, readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8'), ts.ScriptTarget.Latest, true);
const within = (node: ts.Node): ts.Node[] => [node, ...node.getChildren().flatMap(within)];
const placeOf = (name: EndpointName): { readonly namespace: string; readonly method: string } => {
  const [namespace = '', method = ''] = name.split('.');
  return { namespace, method };
};

/** What each call is given on a platform that has everything. */
function inputsOn(platform: MockPlatform): Readonly<Record<EndpointName, Given>> {
  const { id: customerId } = platform.customers.add({ status: 'PENDING_REVIEW' });
  platform.customers.transition(customerId, 'APPROVED');
  const { id: beneficiaryId } = platform.beneficiaries.add({ customerId });
  const { id: personId } = platform.persons.add({ customerId });
  const { id: paymentQuoteId } = platform.quotes.add({ customerId });
  const { id: documentId } = platform.documents.add({ customerId });
  const { id: ticketId, attachments } = platform.tickets.add();
  platform.payments.addMany(2);
  return {
    'payments.create': { ...goodInput['payments.create'], customerId, beneficiaryId, paymentQuoteId, documentIds: [documentId] },
    'payments.list': {},
    'customers.list': {},
    'customers.get': { id: customerId },
    'customers.activity': { id: customerId },
    'customers.beneficiaries': { customerId },
    'screening.get': { customerId, personId },
    'screening.history': { customerId, personId },
    'crypto.paymentMethods': {},
    'crypto.networks': {},
    'support.reply': { ...goodInput['support.reply'], ticketId },
    'support.attachmentUrl': { ticketId, attachmentId: attachments[0]?.id },
    'documents.downloadUrl': { id: documentId },
    'documents.delete': { id: documentId },
  };
}

/** The titles of the groups of tests in a file that run over every carrier, each with the calls its tests make. */
function testedCalls(path: string): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const node of within(parse(path))) {
    if (!ts.isCallExpression(node) || node.expression.getText() !== 'describe.each(carriers)') continue;
    const [title, body] = node.arguments;
    if (title === undefined || body === undefined || !ts.isStringLiteral(title)) continue;
    const tests = within(body).filter((inner): inner is ts.CallExpression => ts.isCallExpression(inner) && /^test(\.each\(.*\))?$/s.test(inner.expression.getText()));
    found.set(title.text, tests.flatMap((inner) => within(inner).filter(ts.isCallExpression).map((call) => call.expression.getText())));
  }
  return found;
}

describe('the table of endpoints', () => {
  test('has the 14 endpoints of the specification, in its order', () => {
    expect(endpointNames.map((name) => endpoints[name].number)).toEqual(Array.from({ length: 14 }, (_, index) => index + 1));
    expect(new Set(endpointNames.map((name) => `${endpoints[name].method} ${endpoints[name].path}`)).size).toBe(14);
  });
});

describe.each(endpointNames)('%s', (name) => {
  const { method, path, success } = endpoints[name];
  const { namespace, method: call } = placeOf(name);

  test('has a call that reaches its method and path, once', async () => {
    const { corridor, sent } = silent();
    const ids = Object.fromEntries(pathParameters(path).map((parameter) => [parameter, `<${parameter}>`]));
    await rejection(calls[name](corridor, { ...goodInput[name], ...ids }));
    expect(sent.map((request) => `${request.method} ${decodeURIComponent(request.url.pathname)}`)).toEqual([`${method} ${path.replaceAll('{', '<').replaceAll('}', '>')}`]);
  });

  test('has a call of its own name', () => {
    const resource = silent().corridor[namespace as keyof Corridor] as unknown as Readonly<Record<string, unknown>>;
    expect(resource[call]).toBeTypeOf('function');
    expect(calls[name].toString()).toContain(`${namespace}.${call}(`);
  });

  test('has an answer of the mock that is exactly as the contract says', async () => {
    const platform = createMockPlatform();
    const drift: unknown[] = [];
    const corridor = new Corridor({ ...platform.clientOptions(), validation: 'strict', onDrift: (finding) => drift.push(finding) });
    const input = inputsOn(platform)[name];
    await calls[name](corridor, input);
    expect(platform.requests.of(name).map(({ status, issues, refusal }) => ({ status, issues, refusal }))).toEqual([{ status: success, issues: [], refusal: undefined }]);
    expect(drift).toEqual([]);
  });

  test('has a docstring with its method and path and with an example', () => {
    const declared = within(parse(`src/resources/${namespace}.ts`)).filter(ts.isMethodDeclaration).find((member) => member.name.getText() === call);
    const [comment] = declared === undefined ? [] : ts.getJSDocCommentsAndTags(declared).filter(ts.isJSDoc);
    const text = comment?.getText() ?? '';
    expect(text).toContain(`Calls \`${method} ${path}\`.`);
    expect(text.split('@example')[1]).toContain(`corridor.${namespace}.${call}(`);
  });

  test('has tests over every carrier', () => {
    const tested = testedCalls(`test/resources/${namespace}.test.ts`).get(`${name} over $name`);
    expect(tested?.some((made) => made.endsWith(`.${namespace}.${call}`))).toBe(true);
  });
});

test('the carriers of the resources’ tests are the fetch of the platform and real HTTP', () => {
  const names = within(parse('test/resources/carriers.ts')).filter(ts.isPropertyAssignment).filter((property) => property.name.getText() === 'name');
  expect(names.map((property) => property.initializer.getText())).toEqual(["'platform.fetch'", "'real HTTP'"]);
});
