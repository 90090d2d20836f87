import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { InvalidRequestError } from 'corridor-sdk';
import { clientOf } from '../support/fault-server.ts';
import { failureOf } from '../support/failure-of.ts';
import { patience } from './sizes.ts';
import { rejectingServer, errorOf } from './rejected-input.ts';

describe('an id', patience, () => {
  it.each([
    'https://evil.example/x',
    'http://127.0.0.1:9',
    '//evil.example',
    '\\\\evil.example',
    '/\\evil.example',
    '@evil.example',
    'user:secret@evil.example',
    ':80',
    '%2e%2e',
    '%2E.',
    '.%2e',
    '...',
    '/',
    '\\',
    '../x',
    'a/../../b',
    '?',
    '#',
    '?a=1',
    ';x=1',
    '&',
    '=',
    '+',
    ' ',
    '%',
    '%zz',
    '%00',
    '\0',
    '\r\nx-evil: 1',
    '\t',
    '\u2028',
    'é',
    '😀',
    "'",
    '"',
    '<>',
    '{id}',
    '[::1]',
  ])('%j arrives as one segment at our own origin', async (id) => {
    await using server = await rejectingServer();
    await clientOf(server)
      .screening.get(id, 'per_1')
      .catch(() => {});
    await clientOf(server)
      .documents.delete(id)
      .catch(() => {});
    const segment = encodeURIComponent(id);
    expect(server.received.map(({ method, url }) => [method, url])).toEqual([
      ['GET', `/api/v1/customers/${segment}/persons/per_1/screening`],
      ['DELETE', `/api/v1/documents/${segment}`],
    ]);
    for (const { headers, verified, url, claims } of server.received) {
      expect(headers).not.toHaveProperty('x-evil');
      expect([verified, claims['uri']]).toEqual([true, url]);
    }
  });

  it.each([
    [''],
    ['.'],
    ['..'],
    ['\ud800'],
    ['x\udc00y'],
    [null],
    [undefined],
    [{}],
    [{ toString: () => 'cus_1' }],
    [['cus_1']],
    [17],
    [new String('cus_1')],
    [Symbol('cus_1')],
  ])('%# is rejected before anything is sent', async (id) => {
    await using server = await rejectingServer();
    for (const call of [
      () => clientOf(server).customers.get(id as string),
      () => clientOf(server).documents.delete(id as string),
      () => clientOf(server).support.attachmentUrl('tic_1', id as string),
    ]) {
      expect(await errorOf(call())).toBeInstanceOf(InvalidRequestError);
    }
    expect(server.received).toEqual([]);
  });

  it('of 10 KB, and a cursor of 10 KB, arrive whole at a server that accepts such headers', async () => {
    const urls: (string | undefined)[] = [];
    // The token contains the path, too: together they exceed the 16 KB that Node accepts by default.
    const server = createServer({ maxHeaderSize: 64 * 1024 }, (request, response) => {
      urls.push(request.url);
      response.writeHead(400).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const corridor = clientOf({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
    const long = 'x/'.repeat(5_000);
    await failureOf(corridor.customers.get(long));
    await failureOf(corridor.payments.list({ cursor: long }));
    server.close();
    server.closeAllConnections();
    expect(urls).toEqual([
      `/api/v1/customers/${encodeURIComponent(long)}`,
      `/api/v1/payment?cursor=${encodeURIComponent(long)}`,
    ]);
  });
});
