import { describe, expect, it } from 'vitest';
import type { Corridor, CorridorError } from 'corridor-sdk';
import { clientOf, FaultServer, json, networks, paymentRequest } from '../reliability/fault-server.js';

const calls: readonly (readonly [method: string, call: (corridor: Corridor) => PromiseLike<unknown>])[] = [
  ['GET', (corridor) => corridor.crypto.networks()],
  ['POST', (corridor) => corridor.payments.create(paymentRequest)],
  ['DELETE', (corridor) => corridor.documents.delete('doc_1')],
];

const targets: readonly (readonly [name: string, location: (own: string, other: string) => string])[] = [
  ['the same origin', (own) => `${own}/api/v1/elsewhere`],
  ['a path', () => '/api/v1/elsewhere'],
  ['another port', (_own, other) => `${other}/api/v1/crypto/networks`],
  ['another host', (_own, other) => other.replace('127.0.0.1', 'localhost')],
  ['no scheme', (_own, other) => other.replace('http:', '')],
  ['a user', (_own, other) => other.replace('//', '//user:secret@')],
];

describe('a redirect', () => {
  for (const status of [301, 302, 303, 307, 308]) {
    for (const [target, location] of targets) {
      it(`K1 ${status} to ${target}: never followed, by no method`, async () => {
        await using other = await new FaultServer((response) => json(response, 200, networks)).listen();
        await using server = await new FaultServer((response) => response.writeHead(status, { location: location(server.url, other.url) }).end()).listen();
        for (const [number, [method, call]] of calls.entries()) {
          const error = await call(clientOf(server)).then(() => expect.unreachable('a redirect is an error'), (reason: CorridorError) => reason);
          expect(error).toMatchObject({ code: 'api', status, outcome: 'unknown' });
          expect(error.message).toContain('a redirect, which is never followed');
          expect(error.message).not.toContain('secret');
          expect(server.received).toHaveLength(number + 1);
          expect(server.received.at(-1)?.method).toBe(method);
        }
        expect(other.received).toHaveLength(0);
        expect(other.connections).toBe(0);
      });
    }
  }
});
