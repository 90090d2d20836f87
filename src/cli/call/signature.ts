import {
  pathParameters,
  type EndpointDefinition,
  endpointNames,
  endpoints,
  isEndpointName,
  type EndpointName,
} from '../../contract/endpoints.js';
import { resolveDialect } from '../../contract/dialect.js';
import { requestFields, type RequestField } from '../../contract/request-fields.js';
import { readJsonObject, type JsonObject } from '../arguments.js';
import { UsageError } from '../command.js';
import { alignColumns } from '../print/text.js';
import { currentShell } from '../shell.js';
import { suggestSimilar } from '../suggest.js';
import type { PaymentFindParams } from '../../index.js';

/** A call of the client that is not a single endpoint. All of them only read. */
interface WorkflowCall {
  readonly about: string;
  /** The fields of its JSON, or the call whose JSON it takes. */
  readonly fields: readonly RequestField[] | 'payments.create';
}

const time = 'must be an ISO 8601 UTC string ending in Z';

// The compiler requires each field of the client's parameters.
const findFields: Readonly<Record<keyof PaymentFindParams, string>> = {
  id: 'the id of the payment',
  paymentQuoteId: 'the quote of the payment',
  internalReference: 'your reference',
  createdFrom: `${time}; limits the search`,
  createdTo: time,
};

/** The calls, by the name of the method of the client. */
const workflowCalls: Readonly<Record<string, WorkflowCall>> = {
  'payments.find': {
    about: 'finds a payment by its id, its quote or your reference',
    fields: Object.entries(findFields).map(([name, rule]) => ({ name, required: false, rule })),
  },
  'payments.preflight': {
    about: 'checks a payment and creates nothing',
    fields: 'payments.create',
  },
  'payments.reconcile': {
    about: 'searches the list for the payment of a stored intent, which is the JSON, or of an idempotencyKey',
    fields: [],
  },
};

/** The parameters of a call: of an endpoint, derived from the contract, or of a workflow of the client. */
export interface Signature {
  readonly name: string;
  /** The method of the client, such as `payments.createOnce`. */
  readonly target: string;
  /** Whether it changes data on the platform. */
  readonly writes: boolean;
  /** The method and path of an endpoint, or the description of a workflow. */
  readonly about: string;
  /** The names of its ids, in order. */
  readonly ids: readonly string[];
  /** The fields of its filters or body; undefined if it takes neither. */
  readonly fields: readonly RequestField[] | undefined;
  /** Whether the JSON is required. */
  readonly needsJson: boolean;
}

/** A call requested on the command line. */
export interface EndpointCall {
  readonly signature: Signature;
  /** The arguments for the client's method. */
  readonly params: readonly unknown[];
}

const callNames: readonly string[] = [...endpointNames, ...Object.keys(workflowCalls)];

/** Returns the signatures of all calls: endpoints in the order of the specification, then workflows. */
export function signatures(): Signature[] {
  return callNames.map(signatureNamed);
}

/** Returns the signature of a call. Throws `UsageError` if there is no such call. */
export function signatureNamed(name: string): Signature {
  if (isEndpointName(name)) return signatureOf(name);
  const workflow = Object.hasOwn(workflowCalls, name) ? workflowCalls[name] : undefined;
  if (workflow !== undefined) return workflowSignature(name, workflow);
  const namespace = signaturesIn(name);
  if (namespace.length > 0)
    throw new UsageError(
      `${name.replace(/\.$/, '')} is a namespace. Pass one of its calls:`,
      formatSignatures(namespace, '').split('\n'),
    );
  // A prefix such as "payment" must not suggest the first call of the namespace, which may move money.
  const known = name.includes('.') ? callNames : [...new Set(callNames.map(namespaceOf))];
  throw new UsageError(`unknown endpoint "${name}"${suggestSimilar(name, known)}`);
}

const namespaceOf = (name: string): string => name.split('.', 1).join();

/** Returns the signatures of a namespace; an empty array if there is no such namespace. */
export function signaturesIn(namespace: string): Signature[] {
  return callNames.filter((name) => namespaceOf(name) === namespace.replace(/\.$/, '')).map(signatureNamed);
}

/** Formats signatures as lines: usage, and what is called. */
export function formatSignatures(listed: readonly Signature[], indent?: string): string {
  return alignColumns(
    listed.map((signature) => [usageOf(signature), signature.about]),
    indent,
  );
}

function signatureOf(name: EndpointName): Signature {
  const { method, path, query, body }: EndpointDefinition<unknown> = endpoints[name];
  const schema = body === undefined ? query?.() : body(resolveDialect());
  return {
    name,
    // createOnce sends one request and searches for the payment if the response is lost.
    target: name === 'payments.create' ? 'payments.createOnce' : name,
    writes: method !== 'GET',
    about: `${method} ${path}`,
    ids: pathParameters(path),
    fields: schema === undefined ? undefined : requestFields(schema),
    needsJson: body !== undefined,
  };
}

function workflowSignature(name: string, { about, fields }: WorkflowCall): Signature {
  return {
    name,
    target: name,
    writes: false,
    about,
    ids: [],
    fields: typeof fields === 'string' ? signatureOf(fields).fields : fields,
    needsJson: true,
  };
}

/** Returns the usage of a call, such as `customers.beneficiaries <customerId> [json]`. */
export function usageOf({ name, ids, fields, needsJson }: Signature): string {
  const json = fields === undefined ? [] : [needsJson ? '<json>' : '[json]'];
  return [name, ...ids.map((id) => `<${id}>`), ...json].join(' ');
}

/** Parses the arguments of `corridor call`: ids in path order, and JSON. Throws `UsageError`. */
export function readCall([name = '', ...rest]: readonly string[]): EndpointCall {
  if (name === '')
    throw new UsageError(
      `the endpoint is missing; pass one, such as: ${currentShell().corridor('call payments.list')}`,
    );
  const signature = signatureNamed(name);
  const ids = rest.filter((argument) => !isJson(argument));
  const [source, ...others] = rest.filter(isJson);
  if (others.length > 0) throw new UsageError('pass only one JSON object');
  const fields = source === undefined ? undefined : readJsonObject(source);
  const usage = currentShell().corridor(`call ${usageOf(signature)}`);
  if (ids.length > signature.ids.length)
    throw new UsageError(`unexpected argument "${ids[signature.ids.length]}": ${usage}`);
  const missing = signature.ids.slice(ids.length);
  if (missing.length > 0) throw new UsageError(`missing ${missing.map((id) => `<${id}>`).join(' and ')}: ${usage}`);
  if (signature.fields === undefined && Object.keys(fields ?? {}).length > 0)
    throw new UsageError(`${usageOf(signature)} takes no ${Object.keys(fields ?? {}).join(', ')}`);
  if (signature.needsJson) requireFields(signature, fields);
  return { signature, params: signature.fields === undefined ? ids : [...ids, fields ?? {}] };
}

/** Throws `UsageError` if a body is missing, or is empty although the client would accept that. */
function requireFields(signature: Signature, fields: JsonObject | undefined): void {
  if (fields === undefined)
    throw new UsageError(`the JSON is missing: ${currentShell().corridor(`call ${usageOf(signature)}`)}`);
  const known = signature.fields ?? [];
  if (signature.writes && Object.keys(fields).length === 0 && !known.some(({ required }) => required))
    throw new UsageError(
      `the JSON of ${signature.name} has no field. Pass at least one of ${known.map(({ name }) => name).join(', ')}`,
    );
}

const isJson = (argument: string): boolean => /^\s*[{["]|^@|^-$/.test(argument);
