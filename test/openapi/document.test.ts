import { endpointNames } from 'corridor-sdk';
import { describe, expect, test } from 'vitest';
import { pathParameters, endpoints } from '../../src/contract/endpoints.ts';
import { differences, factsOf } from '../../scripts/specification/description.ts';
import { specification } from '../../scripts/specification/specification.ts';
import { readMarkdown } from '../docs/markdown.ts';
import { read } from '../../scripts/repository/tree.ts';
import {
  document,
  everyNode,
  operationOf,
  validatorOf,
  violations,
  type OperationResponse,
  type Node,
} from './document.ts';
import { readDocument } from './read-document.ts';

const manifest = JSON.parse(read('package.json').text) as { readonly exports: Node; readonly files: readonly string[] };

describe('openapi.json', () => {
  test('is shipped as corridor-sdk/openapi.json', () => {
    expect(manifest.exports['./openapi.json']).toBe('./docs/openapi.json');
    expect(manifest.files).toContain('docs');
  });

  test('agrees with the specification on every endpoint, field, type, value and limit, and has no more', () => {
    expect(differences(factsOf(specification), factsOf(readDocument(endpoints, document)))).toEqual([]);
  });

  test('has exactly the endpoints of the contract', () => {
    const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(operations.toSorted()).toEqual(
      endpointNames.map((name) => `${endpoints[name].method} ${endpoints[name].path}`).toSorted(),
    );
  });

  test('requires API key and token together, and contains no real host', () => {
    expect(document.security).toEqual([{ apiKey: [], token: [] }]);
    expect(document.components.securitySchemes).toMatchObject({
      apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' },
      token: { type: 'http', scheme: 'bearer' },
    });
    expect(document.servers.map(({ url }) => new URL(url).hostname.endsWith('.example'))).toEqual([true]);
  });

  test('refers for each assumption to a row of docs/assumptions.md', () => {
    const rows = [...readMarkdown(read('docs/assumptions.md').text).values()]
      .flatMap(({ tables }) => tables.flat())
      .map((row) => Object.values(row)[0]);
    const marks = everyNode(document).flatMap((node) =>
      typeof node['x-assumed'] === 'string' ? node['x-assumed'].split(', ') : [],
    );
    expect([...new Set(marks)].filter((mark) => !rows.includes(mark))).toEqual([]);
    expect(marks).not.toEqual([]);
  });

  test('has closed request schemas and open response schemas', () => {
    const { schemas } = document.components;
    const objects = Object.entries(schemas).flatMap(([name, schema]) =>
      everyNode(schema)
        .filter((node) => node['type'] === 'object')
        .map((node) => ({ name, open: node['additionalProperties'] })),
    );
    expect(objects.filter(({ open }) => open === false).map(({ name }) => name)).toEqual([
      'PaymentCreateParams',
      'SupportReplyParams',
    ]);
    expect(objects.filter(({ open }) => typeof open !== 'boolean')).toEqual([]);
    const closed = Object.entries(schemas)
      .filter(([name]) => !['PaymentCreateParams', 'SupportReplyParams'].includes(name))
      .filter(([, schema]) =>
        everyNode(schema).some((node) => Array.isArray(node['enum']) && node['type'] !== undefined),
      );
    expect(closed.map(([name]) => name)).toEqual([]);
  });

  test('names its records like the package', () => {
    const exported = read('src/index.ts').text;
    const unknown = Object.keys(document.components.schemas).filter(
      (name) => !new RegExp(`\\b${name}\\b`).test(exported),
    );
    expect(unknown.filter((name) => !name.endsWith('Envelope'))).toEqual(['ErrorBody']);
  });
});

describe.each(endpointNames)('%s in openapi.json', (name) => {
  const { path, success } = endpoints[name];
  const operation = operationOf(endpoints[name]);

  test('has its name as operationId and tag', () => {
    const [namespace = '', call = ''] = name.split('.');
    expect(operation).toMatchObject({
      operationId: `${namespace}${call.charAt(0).toUpperCase()}${call.slice(1)}`,
      tags: [namespace],
    });
  });

  test('has the ids of its path, with examples', () => {
    const ids = (operation.parameters ?? []).filter((parameter) => parameter.in === 'path');
    expect(ids.map((parameter) => parameter.name)).toEqual(pathParameters(path));
    expect(
      ids.filter(({ example, required }) => typeof example !== 'string' || example === '' || required !== true),
    ).toEqual([]);
  });

  test('has its success status and every error status', () => {
    const { responses } = operation;
    const hasIds = pathParameters(path).length > 0;
    const hasBody = operation.requestBody !== undefined;
    expect(Object.keys(responses).toSorted()).toEqual(
      [String(success), '401', ...(hasIds ? ['404'] : []), ...(hasBody ? ['413'] : []), '429', '4XX', '5XX'].toSorted(),
    );
    const leads = Object.values(responses).flatMap(({ $ref }) =>
      $ref === undefined ? [] : [document.components.responses[$ref.replace('#/components/responses/', '')]],
    );
    expect(leads.map((response: OperationResponse | undefined) => Object.keys(response?.content ?? {}))).toEqual(
      leads.map(() => ['application/json', 'application/problem+json']),
    );
  });

  test('has examples of its bodies that conform', () => {
    const contents = [operation.requestBody?.content, operation.responses[success]?.content].flatMap(
      (content) => content?.['application/json'] ?? [],
    );
    for (const { schema, examples = {} } of contents) {
      const validate = validatorOf(schema);
      expect(Object.keys(examples)).not.toEqual([]);
      expect(Object.values(examples).flatMap(({ value }) => violations(validate, value))).toEqual([]);
    }
  });
});
