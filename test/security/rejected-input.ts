import { InvalidRequestError } from 'corridor-sdk';
import { FaultServer, json } from '../support/fault-server.ts';
import { failureOf } from '../support/failure-of.ts';

/** Starts a server that rejects every request. */
export const rejectingServer = () => new FaultServer((response) => json(response, 400, {})).listen();

/** Returns the error of a call whose request is invalid. */
export const errorOf = (call: PromiseLike<unknown>): Promise<InvalidRequestError> =>
  failureOf(call, InvalidRequestError);
