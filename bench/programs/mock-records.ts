import { Corridor } from '../../dist/index.js';
import { createMockPlatform } from '../../dist/mock/index.js';
import { containerHeap, Worker } from '../harness.ts';

// Adds payments of one beneficiary to a mock, in the process or over the control API of one in a process of its own, and
// reads pages. Reports the processor time of adding them, the memory that they take (in the process: of the heap; served:
// of the whole process of the server, with the heap of a small container), and the time of a page. Run it with
// --expose-gc.
const [count = '100000', where = 'in-process'] = process.argv.slice(2);

interface Usage {
  /** The processor time of the process. */
  readonly seconds: number;
  readonly memory: number;
}

async function measure(corridor: Corridor, usage: () => Promise<Usage>, add: () => Promise<unknown>): Promise<object> {
  const before = await usage();
  await add();
  const { seconds, memory } = await usage();
  const { nextCursor: cursor } = await corridor.payments.list({ limit: 100 });
  const began = performance.now();
  for (let page = 0; page < 20; page += 1) await corridor.payments.list({ limit: 100, cursor: cursor ?? '' });
  return {
    seconds: seconds - before.seconds,
    memory: where === 'served' ? memory : memory - before.memory,
    page: (performance.now() - began) / 20,
  };
}

if (where === 'served') {
  const server = new Worker('programs/mock-server.ts', [], [containerHeap]);
  const { beneficiaryId, baseUrl, apiKey, privateKey } = (await server.ready) as Readonly<Record<string, string>>;
  const corridor = new Corridor({ baseUrl, apiKey, privateKey });
  const add = async (): Promise<void> => {
    const body = JSON.stringify([Number(count), { beneficiaryId }]);
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${baseUrl}/__mock/payments.addMany`, { method: 'POST', headers, body });
    const ids = (await response.json()) as readonly string[];
    if (ids.length !== Number(count)) throw new Error(`${ids.length} of ${count} payments were added`);
  };
  console.log(JSON.stringify(await measure(corridor, () => server.ask<Usage>({}), add)));
  server.stop();
} else {
  const platform = createMockPlatform();
  const { id: beneficiaryId } = platform.beneficiaries.add({ currencyCode: 'MXN' });
  const usage = async (): Promise<Usage> => {
    const { user, system } = process.cpuUsage();
    gc?.();
    return { seconds: (user + system) / 1e6, memory: process.memoryUsage().heapUsed };
  };
  const add = async (): Promise<void> => void platform.payments.addMany(Number(count), () => ({ beneficiaryId }));
  console.log(JSON.stringify(await measure(new Corridor(platform.clientOptions()), usage, add)));
}
