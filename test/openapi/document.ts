import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { read } from '../../scripts/repository/tree.ts';

/** An object of the document, read only as far as the tests need. */
export type Node = Readonly<Record<string, unknown>>;

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly required?: boolean;
  readonly schema: Node;
  readonly example?: unknown;
}

interface Content {
  readonly 'application/json': {
    readonly schema: Node;
    readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
  };
}

/** A response of an operation. */
export interface OperationResponse {
  readonly content?: Content;
  readonly $ref?: string;
}

/** An operation of the document. */
export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, OperationResponse>>;
}

/** An OpenAPI document. */
export interface Document {
  readonly openapi: string;
  readonly servers: readonly { readonly url: string }[];
  readonly security: readonly Node[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Node>>;
    readonly responses: Readonly<Record<string, OperationResponse>>;
    readonly securitySchemes: Readonly<Record<string, Node>>;
  };
}

/** The document that the package ships. */
export const document = JSON.parse(read('docs/openapi.json').text) as Document;

/** The operation of a method and a path. */
export function operationOf(
  { method, path }: { readonly method: string; readonly path: string },
  { paths } = document,
): Operation {
  const operation = paths[path]?.[method.toLowerCase()];
  if (operation === undefined) throw new Error(`openapi.json has no ${method} ${path}`);
  return operation;
}

/** Returns the schema of the body of a response. */
export function responseSchema(operation: Operation, status: number): Node {
  const schema = operation.responses[status]?.content?.['application/json'].schema;
  if (schema === undefined) throw new Error(`${operation.operationId} answers no JSON with ${status}`);
  return schema;
}

/** Every object of the document. */
export function everyNode(value: unknown): Node[] {
  if (typeof value !== 'object' || value === null) return [];
  return [...(Array.isArray(value) ? [] : [value as Node]), ...Object.values(value).flatMap(everyNode)];
}

const ajv = new Ajv2020({ strict: true, strictRequired: false, allErrors: true, formats: { email: true } });
ajv.addVocabulary(['x-assumed', 'x-extensible-enum']);
const { schemas } = document.components;

/** A validator of a schema of the document, which knows nothing of our contract. */
export function validatorOf(schema: Node): ValidateFunction {
  const standalone = JSON.stringify({ $defs: schemas, ...schema }).replaceAll('#/components/schemas/', '#/$defs/');
  return ajv.compile(JSON.parse(standalone) as Node);
}

/** Returns the errors of an independent validator for a value; an empty array if it conforms. */
export function violations(validate: ValidateFunction, value: unknown): string[] {
  return validate(value)
    ? []
    : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}
