import { describe, expect, it } from 'vitest';
import { ConfigurationError, type Corridor } from 'corridor-sdk';
import { failureOf } from '../support/failure-of.ts';
import { clientOf, FaultServer, json, networks, paymentRequest } from '../support/fault-server.ts';

const statuses = [301, 302, 303, 307, 308];

type Call = readonly [method: string, call: (corridor: Corridor) => PromiseLike<unknown>];

const calls: readonly [Call, Call, Call] = [
  ['GET', (corridor) => corridor.crypto.networks()],
  ['POST', (corridor) => corridor.payments.create(paymentRequest)],
  ['DELETE', (corridor) => corridor.documents.delete('doc_1')],
];

type Target = readonly [name: string, location: (own: string, other: string) => string];

const targets: readonly [Target, Target, Target, ...Target[]] = [
  ['the same origin', (own) => `${own}/api/v1/elsewhere`],
  ['a path', () => '/api/v1/elsewhere'],
  ['another port', (_own, other) => `${other}/api/v1/crypto/networks`],
  ['another host', (_own, other) => other.replace('127.0.0.1', 'localhost')],
  ['no scheme', (_own, other) => other.replace('http:', '')],
  ['a user', (_own, other) => other.replace('//', '//user:secret@')],
  ['a user who looks like the own host', (own, other) => `${own}@${new URL(other).host}/`],
];

// Nothing reads the target of a redirect: each status and method with one target, and each target with one of them.
const redirects = [
  ...statuses.flatMap((status) => calls.map((call) => [status, ...targets[2], ...call] as const)),
  ...targets.map((target) => [307, ...target, ...calls[1]] as const),
];

describe('a redirect', () => {
  it.each(redirects)(
    '%i to %s: sent once, and the second server sees nothing',
    async (status, _target, location, method, call) => {
      await using other = await new FaultServer((response) => json(response, 200, networks)).listen();
      await using server = await new FaultServer((response) =>
        response.writeHead(status, { location: location(server.url, other.url) }).end(),
      ).listen();
      const error = await failureOf(call(clientOf(server)));
      expect(error).toMatchObject({ code: 'api', status, outcome: 'unknown', attempts: [{ attempt: 1, status }] });
      expect(error.message).toContain('a redirect, which is never followed');
      expect(error.message).not.toContain('secret');
      expect(server.received.map((received) => received.method)).toEqual([method]);
      expect(other.connections).toBe(0);
    },
  );

  it('the test detects a redirect: fetch follows one and sends the API key', async () => {
    await using other = await new FaultServer((response) => json(response, 200, networks)).listen();
    await using server = await new FaultServer((response) =>
      response.writeHead(307, { location: other.url }).end(),
    ).listen();
    await fetch(server.url, { headers: { 'x-api-key': 'key_for_tests' } });
    expect(other.received[0]?.headers['x-api-key']).toBe('key_for_tests');
  });
});

describe('a custom fetch', () => {
  it('receives the signed request with redirects disabled', async () => {
    const seen: [url: unknown, init: RequestInit | undefined][] = [];
    const corridor = clientOf(
      { url: 'https://api.example.com' },
      {
        fetch: async (url, init) => {
          seen.push([url, init]);
          return Response.json(networks);
        },
      },
    );
    await corridor.crypto.networks();
    expect(seen).toHaveLength(1);
    expect(seen[0]?.[0]).toBe('https://api.example.com/api/v1/crypto/networks');
    expect(seen[0]?.[1]).toMatchObject({
      method: 'GET',
      redirect: 'manual',
      headers: { 'x-api-key': 'key_for_tests' },
    });
  });

  for (const [method, call] of calls) {
    it(`that follows a redirect all the same on ${method}: its result is rejected with an error that names the fetch option`, async () => {
      await using other = await new FaultServer((response) =>
        json(response, 200, { ...networks, id: 'pay_of_another' }),
      ).listen();
      await using server = await new FaultServer((response) =>
        response.writeHead(303, { location: other.url }).end(),
      ).listen();
      const disobedient: typeof globalThis.fetch = (url, init) => fetch(url, { ...init, redirect: 'follow' });
      const error = await failureOf(call(clientOf(server, { fetch: disobedient })));
      expect(error).toBeInstanceOf(ConfigurationError);
      expect(error.message).toContain('the fetch option followed a redirect');
      expect(error.outcome).toBe('unknown');
      expect(server.received).toHaveLength(1);
    });
  }

  it.each([301, 302, 307, 308])(
    'that follows a %i on POST: the other host gets neither the payment nor the API key',
    async (status) => {
      await using other = await new FaultServer((response) => json(response, 200, {})).listen();
      await using server = await new FaultServer((response) =>
        response.writeHead(status, { location: other.url }).end(),
      ).listen();
      const error = await failureOf(
        clientOf(server, { fetch: (url, init) => fetch(url, { ...init, redirect: 'follow' }) }).payments.create(
          paymentRequest,
        ),
      );
      expect(error.outcome).toBe('unknown');
      expect([server.received.length, other.received.length]).toEqual([1, 0]);
    },
  );
});
