import type { endpoints, EndpointName } from '../contract/endpoints.js';
import type { ResultOf } from '../contract/endpoint.js';
import type { Answer } from './answer.js';
import { call, type CallOptions } from './call.js';
import { refusePollution } from './pollution.js';
import { checkRequestOptions } from './request-options.js';
import { prepare, prepareCustom, type CallInput, type CustomRequest, type RequestOptions } from './request.js';

/** The one door to the network, as resources see it. */
export type Send = <N extends EndpointName>(
  endpoint: N,
  input: CallInput,
  options?: RequestOptions,
) => Promise<Answer<ResultOf<(typeof endpoints)[N]>>>;

/** The same door, for what the contract does not know. */
export type SendCustom = (request: CustomRequest, options?: RequestOptions) => Promise<Answer<unknown>>;

/** Opens the door: requests are checked, signed, sent, repeated where that is safe, and their answers checked. */
export function createSend(options: CallOptions): { readonly send: Send; readonly sendCustom: SendCustom } {
  const send = async (endpoint: EndpointName, input: CallInput, given: RequestOptions = {}): Promise<Answer<unknown>> => {
    refusePollution();
    checkRequestOptions(given);
    return call(options, prepare(endpoint, input, given, options.dialect), given);
  };
  const sendCustom: SendCustom = async (request, given = {}) => {
    refusePollution();
    checkRequestOptions(given);
    return call(options, prepareCustom(request, given), given);
  };
  // The contract ties an endpoint's name to the type of its answer, and readAnswer has held the answer against it.
  return { send: send as Send, sendCustom };
}
