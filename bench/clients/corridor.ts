import { Corridor } from '../../dist/index.js';
import { apiKey, type ClientSettings, type ReadRecord } from './client.ts';

/** The product as a partner has it: every promise switched on. */
export function corridorOf({ url, privateKey }: ClientSettings): InstanceType<typeof Corridor> {
  return new Corridor({ baseUrl: url, apiKey, privateKey });
}

export async function corridor(settings: ClientSettings): Promise<ReadRecord> {
  const client = corridorOf(settings);
  await client.ready();
  return () => client.customers.get('cus_1');
}
