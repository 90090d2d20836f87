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
