import { corridorOf } from '../clients/corridor.ts';

// Iterates over a million items and reports the heap after garbage collection. Requires node --expose-gc.
const [url = '', privateKey = '', total = '1000000'] = process.argv.slice(2);
const items = Number(total);
const marks = [1000, 10_000, 100_000, 1_000_000].filter((mark) => mark <= items);
const collect = (globalThis as unknown as { readonly gc: () => void }).gc;
const client = corridorOf({ url: `${url}/pages/${items / 100}/latency/0`, privateKey });

const newIterator = (): AsyncIterator<{ readonly id: string }> =>
  client.payments.list({ limit: 100 })[Symbol.asyncIterator]();

/** Reads `count` items and returns the processor time of each, in microseconds. */
async function take(iterator: AsyncIterator<{ readonly id: string }>, count: number): Promise<number> {
  const used = process.cpuUsage();
  for (let taken = 0; taken < count; taken += 1) {
    if ((await iterator.next()).done === true) throw new Error('the list ended early');
  }
  const { user, system } = process.cpuUsage(used);
  return (user + system) / count;
}

const long = newIterator();
const blocks = Math.min(25, items / 1000);
const block = items / 10 / blocks;
const samples: { readonly items: number; readonly heap: number }[] = [];
// The last tenth in blocks, each beside a block of an iteration that has just begun: a machine that slows down slows
// down both.
const beside: { readonly late: number; readonly early: number }[] = [];
const young = newIterator();
let taken = 0;
for (const mark of marks) {
  if (mark === items) {
    await take(long, mark - mark / 10 - taken);
    for (let count = 0; count < blocks; count += 1) {
      if (count % 2 === 0) beside.push({ late: await take(long, block), early: await take(young, block) });
      else {
        const early = await take(young, block);
        beside.push({ late: await take(long, block), early });
      }
    }
  } else await take(long, mark - taken);
  taken = mark;
  collect();
  samples.push({ items: mark, heap: process.memoryUsage().heapUsed });
}
await young.return?.();
console.log(JSON.stringify({ samples, beside }));
