import { setTimeout as pause } from 'node:timers/promises';
import { corridorOf } from '../clients/corridor.ts';
import { kyPages } from '../clients/floor.ts';

// Iterates over a list, with some milliseconds of work on each page, whenever the parent process sends a message.
const [name = '', url = '', privateKey = ''] = process.argv.slice(2);

interface IterationParams {
  readonly pages: number;
  /** Of the server, in milliseconds. */
  readonly latency: number;
  /** Of the caller on each page, in milliseconds. */
  readonly work: number;
}

async function iterate({
  pages,
  latency,
  work,
}: IterationParams): Promise<{ readonly wall: number; readonly processor: number; readonly items: number }> {
  const settings = { url: `${url}/pages/${pages}/latency/${latency}`, privateKey };
  let items = 0;
  const used = process.cpuUsage();
  const began = performance.now();
  const onPage = async (page: readonly unknown[]): Promise<void> => {
    items += page.length;
    if (work > 0) await pause(work);
  };
  if (name === 'corridor-sdk') {
    for await (const page of corridorOf(settings).payments.list({ limit: 100 }).pages()) await onPage(page.items);
  } else {
    await kyPages(settings, onPage);
  }
  const wall = performance.now() - began;
  const { user, system } = process.cpuUsage(used);
  return { wall, processor: (user + system) / 1000, items };
}

process.on('message', (params: IterationParams) => void iterate(params).then((result) => process.send?.(result)));
process.send?.('ready');
