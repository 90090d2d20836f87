import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

// A separate process, so that the cost of responses is not counted. The arguments are files with the record and a page.
const [recordFile = '', pageFile = ''] = process.argv.slice(2);
const record = readFileSync(recordFile);
const { items } = JSON.parse(readFileSync(pageFile, 'utf8')) as { readonly items: readonly { readonly id: string }[] };
// Neighboring pages have different payments, and the first one of each page is in no other.
const firstId = '%id%';
const pages = ['e', 'o'].map((suffix) => {
  const payments = items.map(({ id, ...payment }, index) =>
    JSON.stringify({ id: index === 0 ? firstId : `${id}${suffix}`, ...payment }),
  );
  return `{"items":[${payments.join(',')}]`.split(firstId).map((part) => Buffer.from(part));
});

/**
 * The path sets the number of pages and the latency:
 * `/pages/100/latency/20/api/v1/payment?cursor=7`.
 */
const listed = /^\/pages\/(\d+)\/latency\/(\d+)\/api\/v1\/payment\?(?:.*&)?limit=100(?:&cursor=(\d+))?/;

const server = createServer((request, response) => {
  const list = listed.exec(request.url ?? '');
  const [, count = '0', latency = '0', cursor = '1'] = list ?? [];
  const next = Number(cursor) + 1;
  const [start, end] = pages[next % 2] as [Buffer, Buffer];
  const nextPage =
    next > Number(count) ? ',"nextCursor":null,"hasMore":false}' : `,"nextCursor":"${next}","hasMore":true}`;
  const body =
    list === null ? record : Buffer.concat([start, Buffer.from(`pay_${cursor}`), end, Buffer.from(nextPage)]);
  const respond = (): void => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length });
    response.end(body);
  };
  if (latency === '0') respond();
  else setTimeout(respond, Number(latency));
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
