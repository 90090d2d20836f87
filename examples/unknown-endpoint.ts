import { Corridor } from 'corridor-sdk';
import * as z from 'zod';

// Only the fields that are needed: others are ignored.
const networks = z.object({ networks: z.array(z.object({ id: z.string(), displayName: z.string() })) });

/**
 * Calls an endpoint that this version of the SDK does not know by its path: signed, with timeouts and retries like any
 * read. The result is `unknown`; the schema, here of zod, validates it and sets its type.
 */
export async function readNetworkNames(corridor: Corridor): Promise<string[]> {
  const response = await corridor.request({ method: 'GET', path: '/api/v1/crypto/networks' });
  return networks.parse(response).networks.map(({ displayName }) => displayName);
}

// node examples/unknown-endpoint.ts
if (import.meta.main) console.log(await readNetworkNames(new Corridor()));
