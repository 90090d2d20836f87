import type { EndpointDefinition } from '../../src/contract/endpoints.ts';
import type { Description, EndpointDescription } from '../../scripts/specification/description.ts';
import { operationOf, type Document, type Node, type Operation } from './document.ts';

type Side = 'request' | 'response';
type Schemas = Document['components']['schemas'];

/**
 * Describes the wire format of an OpenAPI document in the terms of the specification. From the table it reads
 * numbers, methods and paths.
 */
export function readDocument(
  table: Readonly<Record<string, EndpointDefinition<unknown>>>,
  document: Document,
): Record<string, EndpointDescription> {
  const { schemas } = document.components;
  const describe = (node: Node, side: Side): Description => describeIn(schemas, node, side);
  const described = (
    [name, { method, path }]: [string, EndpointDefinition<unknown>],
    index: number,
  ): [string, EndpointDescription] => {
    const operation = operationOf({ method, path }, document);
    const body = operation.requestBody?.content['application/json'].schema;
    const query = operation.parameters?.filter((parameter) => parameter.in === 'query') ?? [];
    const fields = query.map(({ name, schema, required }): [string, Description] => [
      name,
      { ...describe(schema, 'request'), ...(required === true ? {} : { optional: true }) },
    ]);
    const response = responseBodyOf(operation, describe);
    const request = body === undefined ? {} : { request: describe(body, 'request') };
    const filters = query.length === 0 ? {} : { query: { type: 'object', fields: new Map(fields) } };
    return [name, { number: index + 1, method, path, response, ...request, ...filters }];
  };
  return Object.fromEntries(Object.entries(table).map(described));
}

function responseBodyOf(operation: Operation, describe: (node: Node, side: Side) => Description): Description {
  const [[status = '', { content }] = ['', {}]] = Object.entries(operation.responses).filter(([code]) =>
    code.startsWith('2'),
  );
  const schema = content?.['application/json'].schema;
  if (schema !== undefined && Object.keys(schema).some((key) => key !== 'description'))
    return describe(schema, 'response');
  return { type: 'not shown', rules: status === '201' ? ['status 201'] : [] };
}

function describeIn(schemas: Schemas, node: Node, side: Side): Description {
  if (typeof node['$ref'] === 'string') return describeIn(schemas, target(schemas, node['$ref']), side);
  if (Array.isArray(node['anyOf'])) return nullable(schemas, node['anyOf'] as readonly Node[], side);
  if (Array.isArray(node['oneOf'])) return variants(schemas, node['oneOf'] as readonly Node[], side);
  const { type, ...rest } = node;
  if (Array.isArray(type))
    return {
      ...describeIn(schemas, { ...rest, type: type.find((each) => each !== 'null') as unknown }, side),
      nullable: true,
    };
  if (Array.isArray(node['allOf']) || type === 'object') return record(schemas, node, side);
  if (type === 'array')
    return { type, element: describeIn(schemas, node['items'] as Node, side), ...rules(node, 'items') };
  if (type !== 'string' && type !== 'integer' && type !== 'boolean')
    throw new Error(`a schema of type ${String(type)} is not described`);
  const values = (
    side === 'response'
      ? (node['x-extensible-enum'] ?? (node['const'] === undefined ? undefined : [node['const']]))
      : node['enum']
  ) as readonly string[] | undefined;
  return { type, ...(values === undefined ? {} : { values }), ...rules(node, 'characters') };
}

function target(schemas: Schemas, reference: string): Node {
  const found = schemas[reference.replace('#/components/schemas/', '')];
  if (found === undefined) throw new Error(`${reference} leads nowhere`);
  return found;
}

function nullable(schemas: Schemas, options: readonly Node[], side: Side): Description {
  const [one, none] = options;
  if (one === undefined || none?.['type'] !== 'null' || options.length !== 2)
    throw new Error('anyOf is described only as something or null');
  return { ...describeIn(schemas, one, side), nullable: true };
}

// The document has open responses even if the specification lists their fields, so it cannot show which are open there,
// too; but that is marked.
function record(schemas: Schemas, node: Node, side: Side): Description {
  // Others are rules of several fields.
  const parts = ((node['allOf'] as readonly Node[] | undefined) ?? []).filter(
    (part) => '$ref' in part || 'type' in part,
  );
  const fields = new Map(parts.flatMap((part) => [...(describeIn(schemas, part, side).fields ?? [])]));
  const required = (node['required'] as readonly string[] | undefined) ?? [];
  for (const [name, field] of Object.entries(
    (node['properties'] as Readonly<Record<string, Node>> | undefined) ?? {},
  )) {
    fields.set(name, { ...describeIn(schemas, field, side), ...(required.includes(name) ? {} : { optional: true }) });
  }
  return { type: node['x-assumed'] === 'A-9' ? 'object with fields that are not shown' : 'object', fields };
}

function variants(schemas: Schemas, options: readonly Node[], side: Side): Description {
  const described = options.map((option) => describeIn(schemas, option, side));
  const discriminant = [...(described[0]?.fields ?? [])].find(([, { values }]) => values?.length === 1)?.[0];
  if (discriminant === undefined) throw new Error('variants must have a constant field');
  const known = described.flatMap((option): [string, Description][] => {
    const [value] = option.fields?.get(discriminant)?.values ?? [];
    return value === undefined ? [] : [[value, option]];
  });
  if (known.length !== options.length - 1) throw new Error('exactly one variant must be the unrecognized one');
  return { type: `variants by ${discriminant}`, variants: new Map(known) };
}

function rules(node: Node, unit: string): Pick<Description, 'rules'> {
  const { minLength, maxLength, minItems, minimum, maximum, format, pattern } = node;
  const found = [
    ...(minLength === undefined ? [] : [`at least ${String(minLength)} ${unit}`]),
    ...(maxLength === undefined ? [] : [`at most ${String(maxLength)} ${unit}`]),
    ...(minItems === undefined ? [] : [`at least ${String(minItems)} ${unit}`]),
    ...(minimum === undefined && maximum === undefined ? [] : [`${String(minimum)} to ${String(maximum)}`]),
    ...(typeof pattern === 'string' ? [patternRule(pattern, format)] : []),
  ];
  return found.length === 0 ? {} : { rules: found };
}

// Patterns are identified by what they accept.
function patternRule(pattern: string, format: unknown): string {
  const lets = (right: readonly string[], wrong: readonly string[]): boolean => {
    const matches = (text: string): boolean => new RegExp(pattern, 'u').test(text);
    return right.every(matches) && !wrong.some(matches);
  };
  if (
    lets(
      ['2026-02-28T09:30:00Z', '2026-02-28T09:30Z', '2026-02-28T23:59:59.123Z'],
      ['2026-02-28T09:30:00+00:00', '2026-02-28T09:30:00', '2026-02-28', ''],
    )
  )
    return 'an ISO 8601 UTC date-time ending in Z';
  if (format === 'email' && lets(['ops@partner.example'], ['ops', '@partner.example', 'ops@', '']))
    return 'an e-mail address';
  if (lets(['0', '1250', '1250.00', '0.000001'], ['-1', '.5', '1.', '1,000', '1e3', ''])) return 'a pattern (regex)';
  throw new Error(`the pattern ${pattern} is not described. Add what it accepts to patternRule`);
}
