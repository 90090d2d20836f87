import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

// A list of payments for exports, in a process of its own: newest first, filtered by time, with one of two
// distributions over a year. Arguments: a file with a page, the number of payments, `even` or `bursts`, the latency in
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
const [head = '', middle = '', tail = ''] = JSON.stringify({ ...record, id: '%id%', createdAt: '%at%' }).split(
  /%id%|%at%/,
);

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
  const first = searchParams.has('createdFrom') ? before(Date.parse(searchParams.get('createdFrom') ?? '')) : 0;
  const end = searchParams.has('createdTo') ? before(Date.parse(searchParams.get('createdTo') ?? '') + 1) : total;
  const from = Math.min(end, Number(searchParams.get('cursor') ?? end));
  const to = Math.max(first, from - Number(searchParams.get('limit') ?? '25'));
  const rows: string[] = [];
  for (let index = from - 1; index >= to; index -= 1)
    rows.push(`${head}pay_${index}${middle}${new Date(times[index] ?? 0).toISOString()}${tail}`);
  const hasMore = to > first;
  const body = `{"items":[${rows.join(',')}],"nextCursor":${hasMore ? `"${to}"` : 'null'},"hasMore":${hasMore}}`;
  setTimeout(() => response.setHeader('content-type', 'application/json').end(body), Number(latency));
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
