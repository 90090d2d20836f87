import { bytesToJson } from '../data/files.js';
import type { MockHttpResponse } from '../wire/message.js';

/** An error response of the control API. */
export class ControlError extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** Throws an error response. */
export function fail(status: number, code: string, message: string): never {
  throw new ControlError(status, code, message);
}

/** Creates a response with a JSON body. */
export function json(status: number, result: unknown, headers: MockHttpResponse['headers'] = {}): MockHttpResponse {
  return {
    status,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(result, bytesToJson),
  };
}
