import { setupServer } from 'msw/node';
import { Corridor } from '../../dist/index.js';
import { createMockPlatform } from '../../dist/mock/index.js';
import { mockHandlers } from '../../dist/mock/msw.js';
import { serveMockPlatform } from '../../dist/mock/node.js';

// Signed reads of one customer, each verified, over each way to the mock platform, in turns.
const [rounds = '5', milliseconds = '500'] = process.argv.slice(2);

interface Adapter {
  readonly name: string;
  readonly read: () => Promise<unknown>;
  /** Interception is process-wide: it is on in its own turn only. */
  readonly around: (turn: () => Promise<number>) => Promise<number>;
}

const plainly = (turn: () => Promise<number>): Promise<number> => turn();
const platform = createMockPlatform();
const customer = platform.customers.add();
const direct = new Corridor(platform.clientOptions());
const served = await serveMockPlatform();
const servedCustomer = served.platform.customers.add();
const overHttp = new Corridor(served.clientOptions());
const { baseUrl, apiKey, privateKey, now } = platform.clientOptions();
const behindMsw = new Corridor({ baseUrl, apiKey, privateKey, now });

const adapters: readonly Adapter[] = [
  { name: 'platform.fetch', read: () => direct.customers.get(customer.id), around: plainly },
  {
    name: 'served over HTTP, in the same process',
    read: () => overHttp.customers.get(servedCustomer.id),
    around: plainly,
  },
  {
    name: 'msw 3, setupServer',
    read: () => behindMsw.customers.get(customer.id),
    around: async (turn) => {
      const server = setupServer(...mockHandlers(platform));
      server.listen({ onUnhandledFrame: 'error' });
      try {
        return await turn();
      } finally {
        server.close();
      }
    },
  },
];

async function requestsPerSecond(read: () => Promise<unknown>): Promise<number> {
  const end = performance.now() + Number(milliseconds);
  const began = performance.now();
  let count = 0;
  const work = async (): Promise<void> => {
    for (; performance.now() < end; count += 1) await read();
  };
  await Promise.all(Array.from({ length: 8 }, work));
  return count / ((performance.now() - began) / 1000);
}

const samples: Record<string, number[]> = {};
for (let round = -1; round < Number(rounds); round += 1) {
  for (const { name, read, around } of adapters) {
    const rate = await around(() => requestsPerSecond(read));
    if (round >= 0) (samples[name] ??= []).push(rate);
  }
}
await served.close();
console.log(JSON.stringify(samples));
process.exit(0);
