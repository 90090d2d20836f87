import { endpointNames, type EndpointName } from '../contract/endpoints.js';
import { MockPlatformError } from './error.js';

/** Throws `MockPlatformError` where a name is no endpoint's: whoever asks for its requests would find none, whatever comes. */
export function requireEndpoint(call: string, endpoint: EndpointName): void {
  if (!endpointNames.includes(endpoint)) throw new MockPlatformError(`${call}: ${JSON.stringify(endpoint)} is not an endpoint; there are ${endpointNames.join(', ')}`);
}
