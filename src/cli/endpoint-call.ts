import { readFileSync } from 'node:fs';
import { pathParameters, type Endpoint } from '../contract/endpoint.js';
import { endpointNames, endpoints, type EndpointName } from '../contract/endpoints.js';
import { resolveDialect } from '../contract/dialect.js';
import { requestFields, type RequestField } from '../contract/fields.js';
import { UsageError } from './command.js';
import { nearest } from './nearest.js';

/** What an endpoint takes, told by the contract's table. */
export interface Signature {
  readonly name: EndpointName;
  readonly method: Endpoint<unknown>['method'];
  readonly path: string;
  /** The names of its ids, in order. */
  readonly ids: readonly string[];
  /** The fields of its filters or of its body; undefined where it takes neither. */
  readonly fields: readonly RequestField[] | undefined;
  /** Whether the JSON must be given. */
  readonly needsJson: boolean;
}

/** A call as the command line asks for it. */
export interface EndpointCall {
  readonly signature: Signature;
  /** What the client's method is called with. */
  readonly given: readonly unknown[];
}

/** What every endpoint takes, in the order of the specification. */
export function signatures(): Signature[] {
  return endpointNames.map(signatureOf);
}

/** What the endpoint of a name takes. Throws `UsageError` where there is none. */
export function signatureNamed(name: string): Signature {
  const found = endpointNames.find((each) => each === name);
  if (found === undefined) throw new UsageError(`there is no call "${name}"${nearest(name, endpointNames)}`);
  return signatureOf(found);
}

function signatureOf(name: EndpointName): Signature {
  const { method, path, query, body }: Endpoint<unknown> = endpoints[name];
  const schema = body === undefined ? query?.() : body(resolveDialect());
  return { name, method, path, ids: pathParameters(path), fields: schema === undefined ? undefined : requestFields(schema), needsJson: body !== undefined };
}

/** How the call is written, such as `customers.beneficiaries <customerId> [json]`. */
export function usageOf({ name, ids, fields, needsJson }: Signature): string {
  const json = fields === undefined ? [] : [needsJson ? '<json>' : '[json]'];
  return [name, ...ids.map((id) => `<${id}>`), ...json].join(' ');
}

/** Reads the words behind `corridor call`: ids in the order of the path, and JSON, which may hold the ids too. Throws `UsageError`. */
export function readCall([name = '', ...rest]: readonly string[]): EndpointCall {
  if (name === '') throw new UsageError('say what to call, such as: corridor call payments.list');
  const signature = signatureNamed(name);
  const given = rest.filter((word) => !isJson(word));
  const [source, ...others] = rest.filter(isJson);
  if (others.length > 0) throw new UsageError('give one JSON object, not several');
  const input = source === undefined ? undefined : readJson(source);
  const { ids, left } = idsOf(signature, given, input);
  if (left !== undefined && signature.fields === undefined && Object.keys(left).length > 0) {
    throw new UsageError(`${usageOf(signature)} takes no ${Object.keys(left).join(', ')}`);
  }
  if (signature.needsJson && (left === undefined || Object.keys(left).length === 0)) throw new UsageError(`the JSON is missing: corridor call ${usageOf(signature)}`);
  return { signature, given: signature.fields === undefined ? ids : [...ids, left ?? {}] };
}

type JsonObject = Readonly<Record<string, unknown>>;

function idsOf(signature: Signature, given: readonly string[], input: JsonObject | undefined): { readonly ids: readonly string[]; readonly left: JsonObject | undefined } {
  const { ids } = signature;
  const asked = `corridor call ${usageOf(signature)}`;
  if (given.length > ids.length) throw new UsageError(`"${given[ids.length]}" is one word too many: ${asked}`);
  if (given.length === ids.length) return { ids: given, left: input };
  const missing = ids.filter((name, index) => given[index] === undefined && typeof input?.[name] !== 'string');
  if (missing.length > 0 || given.length > 0) throw new UsageError(`${(missing.length > 0 ? missing : ids).map((name) => `<${name}>`).join(' and ')} must be given: ${asked}`);
  const left = Object.fromEntries(Object.entries(input ?? {}).filter(([name]) => !ids.includes(name)));
  return { ids: ids.map((name) => String(input?.[name])), left };
}

const isJson = (word: string): boolean => /^\s*[{["]|^@|^-$/.test(word);

function readJson(source: string): JsonObject {
  const place = source === '-' ? 'standard input' : source.startsWith('@') ? source.slice(1) : 'the JSON';
  const text = place === 'the JSON' ? source : readText(source === '-' ? 0 : place, place);
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    // No more of the text than a position: the file may be the wrong one, a key say.
    const [, position] = /position (\d+)/.exec(String(error)) ?? [];
    throw new UsageError(`${place} is not valid JSON${position === undefined ? '' : ` (from position ${position})`}${place === 'the JSON' ? '; mind the quotes of your shell, or give it as @file or on standard input (-)' : ''}`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new UsageError(`${place} must be a JSON object, such as '{"status":"COMPLETED"}'`);
  return value as JsonObject;
}

function readText(source: string | 0, place: string): string {
  try {
    return readFileSync(source, 'utf8');
  } catch (error) {
    throw new UsageError(`${place} cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}
