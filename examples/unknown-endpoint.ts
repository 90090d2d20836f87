import { Corridor } from 'corridor-sdk';
import * as z from 'zod';

// Only the fields we read: whatever else the platform sends is ignored.
const networks = z.object({ networks: z.array(z.object({ id: z.string(), displayName: z.string() })) });

/**
 * Calls an endpoint by its path, as one does with an endpoint this version of the SDK does not know yet: signed, bounded and
 * retried as any other read. The schema (of zod here; valibot, arktype and others will do) gives the result its type.
 */
export async function readNetworkNames(corridor: Corridor): Promise<string[]> {
  const answer = await corridor.request({ method: 'GET', path: '/api/v1/crypto/networks', schema: networks });
  return answer.networks.map(({ displayName }) => displayName);
}

// node examples/unknown-endpoint.ts
if (import.meta.main) console.log(await readNetworkNames(new Corridor()));
