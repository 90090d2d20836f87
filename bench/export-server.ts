import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

// A list of payments for exports, in a process of its own: newest first, filtered by time or by status, with one of two
// distributions over a year. One payment per hundred is in progress. There are 12 customers without beneficiaries. Arguments: a file with a page, the number of payments, `even` or `bursts`, the latency in
// milliseconds.
const [pageFile = '', count = '0', distribution = 'even', latency = '0'] = process.argv.slice(2);
const total = Number(count);
const [hour, day] = [3_600_000, 86_400_000];
const start = Date.parse('2025-01-01T00:00:00Z');
// A fifth lies evenly over the year, the others in twelve bursts of an hour.
const timeOf = (index: number): number =>
  distribution === 'even' || index % 5 === 0
    ? start + Math.floor((index * 365 * day) / total)
    : start + (index % 12) * 30 * day + 5 * day + Math.floor((index * hour) / total);
const times = Float64Array.from({ length: total }, (_, index) => timeOf(index)).toSorted();

const { items } = JSON.parse(readFileSync(pageFile, 'utf8')) as { readonly items: readonly { id: string }[] };
const [record] = items;
const template = JSON.stringify({ ...record, id: '%id%', createdAt: '%at%', status: '%status%' });
const rowOf = (index: number): string =>
  template
    .replace('%id%', `pay_${index}`)
    .replace('%at%', new Date(times[index] ?? 0).toISOString())
    .replace('%status%', index % 100 === 0 ? 'PROCESSING' : 'COMPLETED');
const customers = Array.from({ length: 12 }, (_, index) => ({ id: `cus_${index}`, status: 'APPROVED' }));

/** The number of payments that were created before a time. */
function before(time: number): number {
  let [low, high] = [0, total];
  while (low < high) {
    const half = (low + high) >>> 1;
    if ((times[half] ?? 0) < time) low = half + 1;
    else high = half;
  }
  return low;
}

let requests = 0;
const server = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://server');
  if (pathname === '/requests') {
    response.end(String(requests));
    requests = 0;
    return;
  }
  requests += 1;
  const respond = (rows: readonly string[], next?: number): void => {
    const cursor = next === undefined ? 'null' : `"${next}"`;
    const body = `{"items":[${rows.join(',')}],"nextCursor":${cursor},"hasMore":${next !== undefined}}`;
    setTimeout(() => response.setHeader('content-type', 'application/json').end(body), Number(latency));
  };
  if (pathname.endsWith('/customers')) return respond(customers.map((customer) => JSON.stringify(customer)));
  if (pathname.endsWith('/beneficiaries')) return respond([]);
  const status = searchParams.get('status');
  if (status !== null) {
    const limit = Number(searchParams.get('limit'));
    const skipped = Number(searchParams.get('cursor') ?? '0');
    const open = status === 'PROCESSING' ? Math.ceil(total / 100) : 0;
    const end = Math.min(open, skipped + limit);
    const rows = Array.from({ length: end - skipped }, (_, index) => rowOf((skipped + index) * 100));
    return respond(rows, end < open ? end : undefined);
  }
  const first = searchParams.has('createdFrom') ? before(Date.parse(searchParams.get('createdFrom') ?? '')) : 0;
  const end = searchParams.has('createdTo') ? before(Date.parse(searchParams.get('createdTo') ?? '') + 1) : total;
  const from = Math.min(end, Number(searchParams.get('cursor') ?? end));
  const to = Math.max(first, from - Number(searchParams.get('limit') ?? '25'));
  const rows: string[] = [];
  for (let index = from - 1; index >= to; index -= 1) rows.push(rowOf(index));
  respond(rows, to > first ? to : undefined);
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
