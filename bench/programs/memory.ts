import { corridorOf } from '../clients/corridor.ts';

// Walks a million items and tells what is held on the way, garbage collected. Node must be given --expose-gc.
const [url = '', privateKey = '', total = '1000000'] = process.argv.slice(2);
const marks = [1000, 10_000, 100_000, 1_000_000].filter((mark) => mark <= Number(total));
const collect = (globalThis as unknown as { readonly gc: () => void }).gc;
const client = corridorOf({ url: `${url}/pages/${Number(total) / 100}/latency/0`, privateKey });

const samples: { readonly items: number; readonly heap: number; readonly microsecondsPerItem: number }[] = [];
let items = 0;
let [from, began] = [0, process.cpuUsage()];
for await (const payment of client.payments.list({ limit: 100 })) {
  if (payment.id === '') throw new Error('no id');
  items += 1;
  if (items !== marks[samples.length]) continue;
  const { user, system } = process.cpuUsage(began);
  collect();
  samples.push({ items, heap: process.memoryUsage().heapUsed, microsecondsPerItem: (user + system) / (items - from) });
  [from, began] = [items, process.cpuUsage()];
}
console.log(JSON.stringify(samples));
