import type { endpoints, EndpointName } from '../contract/endpoints.js';
import type { ResultOf } from '../contract/endpoint-definition.js';
import { redactBody } from '../contract/redact.js';
import { ConfigurationError } from '../errors/api.js';
import type { ParsedResponse } from './response/parse-response.js';
import { requestWithRetries, type RetryLoopOptions } from './retry/retry-loop.js';
import { assertRequestOptions, validateHeaders, type RequestOptions } from './request/request-options.js';
import { buildRequest, type CallInput, type PreparedRequest } from './request/build-request.js';
import { buildCustomRequest, type CustomRequest } from './request/custom-request.js';

/** Sends a request to an endpoint of the contract. */
export type Send = <N extends EndpointName>(
  endpoint: N,
  input: CallInput,
  options?: RequestOptions,
) => Promise<ParsedResponse<ResultOf<(typeof endpoints)[N]>>>;

/** Sends a request that is already validated. */
export type SendPrepared = <T>(request: PreparedRequest<T>, options: RequestOptions) => Promise<ParsedResponse<T>>;

/** Sends a request to an endpoint that the contract does not contain. */
export type SendCustom = (request: CustomRequest, options?: RequestOptions) => Promise<ParsedResponse<unknown>>;

/** The functions that send requests, and the one that redacts the responses. */
export interface Sender {
  readonly send: Send;
  readonly sendPrepared: SendPrepared;
  readonly sendCustom: SendCustom;
  /** Masks the API key, and personal and account data, in the body of a response. */
  readonly redactBody: (body: unknown) => unknown;
}

/**
 * Creates the functions that validate, sign and send requests, retry them if that is safe, and validate the responses.
 */
export function createSender(options: RetryLoopOptions): Sender {
  const call = async (
    prepare: () => PreparedRequest,
    callOptions: RequestOptions,
  ): Promise<ParsedResponse<unknown>> => {
    assertUnpollutedPrototype();
    assertRequestOptions(callOptions);
    const request = prepare();
    const headers = validateHeaders(request.endpoint, callOptions.headers);
    return requestWithRetries(options, { ...request, headers }, callOptions);
  };
  return {
    // The contract maps the name of an endpoint to the type of its response, with which parseResponse has validated it.
    send: ((endpoint, input, callOptions = {}) =>
      call(() => buildRequest(endpoint, input, options.dialect), callOptions)) as Send,
    sendPrepared: ((request, callOptions) => call(() => request, callOptions)) as SendPrepared,
    sendCustom: (request, callOptions = {}) => call(() => buildCustomRequest(request), callOptions),
    redactBody: (body) => redactBody(body, options.rules.maskSecrets),
  };
}

// Functions that JSON and the language call under these names, on any object.
const calledImplicitly: ReadonlySet<string> = new Set(['toJSON', 'then', 'get', 'set']);

/**
 * Whether a property of Object.prototype could change what is sent: ky and the runtime's `fetch` read options, such as
 * a `referrer` or another `query`, from objects that inherit from it. Functions and accessors of old libraries cannot,
 * nor can symbols of libraries, such as the one that Jest adds.
 */
function changesRequests(name: string | symbol): boolean {
  if (typeof name === 'symbol') return name.description?.startsWith('Symbol.') === true;
  const descriptor = Object.getOwnPropertyDescriptor(Object.prototype, name) ?? {};
  const isData = Object.hasOwn(descriptor, 'value') && typeof descriptor.value !== 'function';
  return isData || calledImplicitly.has(name);
}

const harmless = new Set(Reflect.ownKeys(Object.prototype).filter((name) => !changesRequests(name)));

function assertUnpollutedPrototype(): void {
  const name = Reflect.ownKeys(Object.prototype).find((each) => !harmless.has(each) && changesRequests(each));
  if (name === undefined) return;
  throw new ConfigurationError(
    `Object.prototype has a property "${String(name)}" that could change what is sent. Find and remove the code that adds it, such as an unsafe merge of untrusted data`,
  );
}
