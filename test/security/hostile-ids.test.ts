import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InvalidRequestError } from 'corridor-sdk';
import { clientOf } from '../support/fault-server.ts';
import { failureOf } from '../support/failure-of.ts';
import { patience, sizes } from './sizes.ts';
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

  it(`${sizes.ids} of all kinds keep origin and segments or are rejected before anything is sent`, async () => {
    const urls: string[] = [];
    const fetch: typeof globalThis.fetch = async (url) => {
      urls.push(String(url));
      return new Response('{}', { status: 400 });
    };
    const corridor = clientOf(
      { url: 'http://127.0.0.1:1/gateway' },
      { fetch, maxRetries: 0, signer: async () => new Uint8Array(256), privateKey: undefined },
    );
    const piece = fc.constantFrom(
      '..',
      '.',
      '%2e',
      '%2E',
      '/',
      '\\',
      '?',
      '#',
      ';',
      '@',
      ':',
      '\0',
      '\r\n',
      '\ud800',
      'a',
    );
    const id = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string(),
      fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join('')),
      fc.webUrl(),
    );
    await fc.assert(
      fc.asyncProperty(id, async (given) => {
        urls.length = 0;
        const error = await corridor.screening.get(given, 'per_1').catch((reason: unknown) => reason);
        const isInvalid = given === '' || given === '.' || given === '..' || !given.isWellFormed();
        expect(error instanceof InvalidRequestError).toBe(isInvalid);
        expect(urls).toHaveLength(isInvalid ? 0 : 1);
        if (isInvalid) return;
        const { origin, pathname, search, hash } = new URL(urls[0] as string);
        expect([origin, search, hash]).toEqual(['http://127.0.0.1:1', '', '']);
        const segments = pathname.split('/');
        expect(segments).toHaveLength('/gateway/api/v1/customers/{}/persons/per_1/screening'.split('/').length);
        expect(decodeURIComponent(segments[5] as string)).toBe(given);
      }),
      { numRuns: sizes.ids },
    );
  });
});
