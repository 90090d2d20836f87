import { Corridor } from '../../dist/index.js';
import { createMockPlatform } from '../../dist/mock/index.js';
import { serveMockPlatform } from '../../dist/mock/node.js';

// Adds payments of one beneficiary to a mock, in the process or over the control API of a served one, and reads pages.
// Reports the processor time of adding them, the memory that they take (in the process: of the heap; served: of the whole
// process), and the time of a page. Run it with --expose-gc.
const [count = '100000', where = 'in-process'] = process.argv.slice(2);
const heap = (): number => {
  gc?.();
  return process.memoryUsage().heapUsed;
};

async function measure(
  corridor: Corridor,
  add: () => Promise<unknown>,
): Promise<{ readonly seconds: number; readonly memory: number; readonly page: number }> {
  const before = heap();
  const used = process.cpuUsage();
  await add();
  const { user, system } = process.cpuUsage(used);
  const memory = where === 'served' ? process.memoryUsage().rss : heap() - before;
  const { nextCursor: cursor } = await corridor.payments.list({ limit: 100 });
  const began = performance.now();
  for (let page = 0; page < 20; page += 1) await corridor.payments.list({ limit: 100, cursor: cursor ?? '' });
  return { seconds: (user + system) / 1e6, memory, page: (performance.now() - began) / 20 };
}

if (where === 'served') {
  const served = await serveMockPlatform({ control: true });
  const { id: beneficiaryId } = served.platform.beneficiaries.add({ currencyCode: 'MXN' });
  const result = await measure(new Corridor(served.clientOptions()), async () => {
    const body = JSON.stringify([Number(count), { beneficiaryId }]);
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${served.url}/__mock/payments.addMany`, { method: 'POST', headers, body });
    const ids = (await response.json()) as readonly string[];
    if (ids.length !== Number(count)) throw new Error(`${ids.length} of ${count} payments were added`);
  });
  console.log(JSON.stringify(result));
  await served.close();
} else {
  const platform = createMockPlatform();
  const { id: beneficiaryId } = platform.beneficiaries.add({ currencyCode: 'MXN' });
  const add = async (): Promise<void> => void platform.payments.addMany(Number(count), () => ({ beneficiaryId }));
  console.log(JSON.stringify(await measure(new Corridor(platform.clientOptions()), add)));
}
