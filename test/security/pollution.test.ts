import { afterEach, describe, expect, it } from 'vitest';
import { clientOf, FaultServer, json, networks, paymentRequest } from '../reliability/fault-server.js';

const evil = 'http://127.0.0.1:9';

const gadgets: readonly (readonly [name: string, value: unknown])[] = [
  ['method', 'DELETE'], ['headers', { 'x-evil': '1', 'x-api-key': 'other' }], ['body', 'evil'], ['json', { evil: true }], ['searchParams', { evil: '1' }],
  ['hooks', { beforeRequest: [() => new Response('{"networks":[]}')] }], ['fetch', async () => new Response('{"networks":[]}')], ['prefix', evil], ['prefixUrl', evil],
  ['baseUrl', evil], ['redirect', 'follow'], ['retry', 5], ['credentials', 'include'], ['duplex', 'half'], ['signal', AbortSignal.abort()],
  ['stringifyJson', () => '"evil"'], ['parseJson', () => ({ networks: [] })], ['timeout', 1], ['throwHttpErrors', true], ['toJSON', () => 'evil'],
  ['memo', 'evil'], ['limit', 1], ['mode', 'no-cors'], ['referrer', evil], ['dispatcher', { dispatch: () => {} }], ['onUploadProgress', () => {}],
];

const prototype = Object.prototype as unknown as Record<string, unknown>;

describe('something is added to Object.prototype', () => {
  afterEach(() => gadgets.forEach(([name]) => delete prototype[name]));

  for (const [name, value] of gadgets) {
    it(`H8 ${name}: what arrives is what was meant, or nothing is sent`, async () => {
      await using server = await new FaultServer((response, { method }) => json(response, method === 'GET' ? 200 : 400, networks)).listen();
      const corridor = clientOf(server, { retries: 0, timeout: 2_000 });
      await corridor.ready();
      Object.defineProperty(prototype, name, { value, enumerable: false, configurable: true, writable: true });
      const read = await corridor.crypto.networks().then((result) => result.length, () => 'failed');
      const write = await corridor.payments.create(paymentRequest).then(() => 'made', () => 'failed');
      delete prototype[name];
      expect(write).toBe('failed');
      if (read !== 'failed') expect(read).toBe(1);
      for (const { method, url, body, headers, verified } of server.received) {
        expect(verified).toBe(true);
        expect(headers['x-evil']).toBeUndefined();
        expect(headers['x-api-key']).toBe('key_for_tests');
        expect([method, url, body]).toEqual(method === 'GET' ? ['GET', '/api/v1/crypto/networks', ''] : ['POST', '/api/v1/payment', JSON.stringify(paymentRequest)]);
      }
    });
  }
});
