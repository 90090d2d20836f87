import { corridorOf } from '../clients/corridor.ts';
import { fetchPages } from '../clients/floor.ts';

// Reads all payments of a list once, by a loop by hand, by payments.list or by payments.export, and reports the time, the
// CPU time and the largest heap after garbage collection, which runs every `interval` pages. Requires node --expose-gc.
const [url = '', privateKey = '', interval = '50', way = 'list', concurrency = '4'] = process.argv.slice(2);
const collect = (globalThis as unknown as { readonly gc: () => void }).gc;
const settings = { url, privateKey };
const range = { createdFrom: '2025-01-01T00:00:00Z', createdTo: '2025-12-31T23:59:59.999Z' };

let [items, pages, heap] = [0, 0, 0];
const onPage = async (page: readonly unknown[]): Promise<void> => {
  items += page.length;
  pages += 1;
  if (pages % Number(interval) !== 0) return;
  collect();
  heap = Math.max(heap, process.memoryUsage().heapUsed);
};

const began = performance.now();
const used = process.cpuUsage();
if (way === 'by hand') await fetchPages(settings, onPage);
else {
  const { payments } = corridorOf(settings);
  const source =
    way === 'list'
      ? payments.list({ limit: 100, ...range })
      : payments.export(range, { concurrency: Number(concurrency) });
  for await (const page of source.pages()) await onPage(page.items);
}
const { user, system } = process.cpuUsage(used);
const seconds = (performance.now() - began) / 1000;
console.log(JSON.stringify({ seconds, processor: (user + system) / 1000, items, heap }));
