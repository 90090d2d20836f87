import type { EndpointName } from 'corridor-sdk';
import { kebabCase } from '../site-path.ts';
import type { Example } from './examples.ts';
import {
  assumptionLinks,
  fieldList,
  nameIn,
  recordSections,
  unsaid,
  type Schema,
  type Schemas,
  type Sentences,
} from './fields.ts';

interface Content {
  readonly 'application/json'?: { readonly schema: Schema };
}

interface Response {
  readonly $ref?: string;
  readonly description?: string;
  readonly content?: Content;
  readonly 'x-assumed'?: string;
}

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly parameters?: readonly (Schema & {
    readonly name: string;
    readonly in: 'path' | 'query';
    readonly required?: boolean;
    readonly schema: Schema;
  })[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, Response>>;
}

/** The parts of docs/openapi.json that the pages show. It is generated from the contract. */
export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Schemas; readonly responses: Readonly<Record<string, Response>> };
}

/** A page that describes one endpoint. */
export interface EndpointPage {
  readonly name: EndpointName;
  /** Its path on the site, without the ending: `endpoints/payments-create`. */
  readonly path: string;
  readonly title: string;
  /** The method and the path: `POST /api/v1/payment`. */
  readonly endpoint: string;
  readonly description: string;
  /** The page as markdown, without front matter. */
  readonly text: string;
}

/** Returns the page of an endpoint. `row` is its call and its guides in docs/endpoints.md, as markdown. */
export function endpointPage(
  name: EndpointName,
  row: { readonly call: string; readonly guides: string },
  example: Example,
  document: OpenApi,
): EndpointPage {
  const { method, path, operation } = operationOf(name, document);
  const { summary, parameters = [], requestBody, responses } = operation;
  const { schemas } = document.components;
  const api = `${method.toUpperCase()} ${path}`;
  const [status = '', success = {}] = Object.entries(responses).find(([key]) => key.startsWith('2')) ?? [];
  const result = success.content?.['application/json']?.schema;
  const body = requestBody?.content['application/json']?.schema;
  const said: Sentences = new Map();
  const list = (place: 'path' | 'query'): string =>
    fieldList(
      parameters
        .filter((parameter) => parameter.in === place)
        .map(({ name: field, schema, required, description, 'x-assumed': assumed }) => ({
          name: field,
          schema: { ...schema, description: description ?? '', ...(assumed !== undefined && { 'x-assumed': assumed }) },
          isRequired: required === true,
        })),
      schemas,
      said,
    );
  const intro = unsaid(`${summary}.`, said);
  const [ids, query] = [list('path'), list('query')];
  const sections = [
    `# ${name}`,
    intro,
    fence('http', api),
    `Call: ${row.call}`,
    `Guide: ${row.guides}`,
    ['::: code-group', fence('ts [TypeScript]', example.code), fence('sh [curl]', example.curl), ':::'].join('\n\n'),
    'For curl, [sign a `TOKEN`](/signing.md#sign-in-a-shell) for exactly this request.',
    `The mock responds with ${example.status}${example.response === '' ? ', without a body.' : ':'}`,
    example.response === '' ? '' : fence('json', example.response),
    ids === '' && query === '' && body === undefined ? '' : '## Request',
    ids === '' ? '' : `In the path:\n\n${ids}`,
    query === '' ? '' : `In the query:\n\n${query}`,
    body === undefined ? '' : `In the body, as JSON:\n\n${recordSections(nameIn(body), 'Request', schemas, said)}`,
    '## Response',
    [`${status}: ${success.description ?? ''}`, ...assumptionLinks(success['x-assumed'])].join(' '),
    result === undefined || example.response === ''
      ? ''
      : result.$ref === undefined
        ? unsaid(result.description ?? '', said)
        : recordSections(nameIn(result), 'Response', schemas, said),
    '## Errors',
    errorTable(responses, document),
    'For every error, and what to do: [errors](/errors.md) and [what does this error mean for my money](/money.md).',
  ];
  return {
    name,
    path: `endpoints/${kebabCase(name)}`,
    title: name,
    endpoint: api,
    description: `${api}: ${summary.charAt(0).toLowerCase()}${summary.slice(1)}. Fields, rules, errors and an example.`,
    text: `${sections.filter((section) => section !== '').join('\n\n')}\n`,
  };
}

/** Finds an operation by the name of its endpoint: `payments.create` is `paymentsCreate`. */
function operationOf(
  name: EndpointName,
  { paths }: OpenApi,
): { readonly method: string; readonly path: string; readonly operation: Operation } {
  const id = name.replace(/\.(\w)/, (_, letter: string) => letter.toUpperCase());
  for (const [path, operations] of Object.entries(paths))
    for (const [method, operation] of Object.entries(operations))
      if (operation.operationId === id) return { method, path, operation };
  throw new Error(`docs/openapi.json has no ${name}`);
}

function errorTable(responses: Operation['responses'], { components }: OpenApi): string {
  const rows = Object.entries(responses)
    .filter(([status]) => !status.startsWith('2'))
    .map(([status, { $ref = '' }]) => {
      const name = $ref.replace('#/components/responses/', '');
      const error = name.endsWith('Error') ? name : 'ApiError';
      return `| ${status.replace('XX', 'xx')} | \`${error}\` | ${components.responses[name]?.description ?? ''} |`;
    });
  return ['| status | error | when |', '| --- | --- | --- |', ...rows].join('\n');
}

const fence = (info: string, code: string): string => `\`\`\`${info}\n${code}\n\`\`\``;
