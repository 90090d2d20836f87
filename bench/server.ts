import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

// A process of its own: what it costs to answer is nobody's. Given are files with the record and one page.
const [recordFile = '', pageFile = ''] = process.argv.slice(2);
const record = readFileSync(recordFile);
const { items: payments } = JSON.parse(readFileSync(pageFile, 'utf8')) as { readonly items: readonly unknown[] };
const items = JSON.stringify(payments);
const first = Buffer.from(`{"items":${items},"nextCursor":"`);
const last = Buffer.from(`{"items":${items},"nextCursor":null,"hasMore":false}`);

/** Of how many pages a list has, and how late each answer comes, the path speaks: `/pages/100/latency/20/api/v1/payment?cursor=7`. */
const listed = /^\/pages\/(\d+)\/latency\/(\d+)\/api\/v1\/payment\?(?:.*&)?limit=100(?:&cursor=(\d+))?/;

const server = createServer((request, response) => {
  const list = listed.exec(request.url ?? '');
  const [, pages = '0', latency = '0', cursor = '1'] = list ?? [];
  const next = Number(cursor) + 1;
  const body = list === null ? record : next > Number(pages) ? last : Buffer.concat([first, Buffer.from(`${next}","hasMore":true}`)]);
  const answer = (): void => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length });
    response.end(body);
  };
  if (latency === '0') answer();
  else setTimeout(answer, Number(latency));
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
