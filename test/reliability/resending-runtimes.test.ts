import { afterEach, describe, expect, it, vi } from 'vitest';
import { AuthenticationError, Corridor } from 'corridor-sdk';
import { createMockPlatform } from 'corridor-sdk/mock';
import { clientOf, FaultServer, json, networks, paymentRequest } from './fault-server.js';

afterEach(() => vi.unstubAllGlobals());

const refused = { code: 'token_replayed' };

describe('a runtime whose own fetch sends requests again (runtimes/ holds this against the real ones)', () => {
  it('Deno is given the body of a payment as a stream, which it cannot send twice; it arrives byte for byte', async () => {
    vi.stubGlobal('Deno', {});
    await using server = await new FaultServer((response) => json(response, 422, {})).listen();
    await clientOf(server).payments.create(paymentRequest).catch(() => {});
    expect(server.received.map(({ body, verified, headers }) => ({ body, verified, length: headers['content-length'] }))).toEqual([{ body: JSON.stringify(paymentRequest), verified: true, length: undefined }]);
  });

  it('a fetch of the caller is given the text', async () => {
    vi.stubGlobal('Deno', {});
    const platform = createMockPlatform({ seed: 1 });
    const bodies: unknown[] = [];
    const fetch: typeof globalThis.fetch = (input, init) => {
      bodies.push(init?.body);
      return platform.fetch(input, init);
    };
    await new Corridor({ ...platform.clientOptions(), fetch }).payments.create(paymentRequest).catch(() => {});
    expect(bodies).toEqual([JSON.stringify(paymentRequest)]);
  });

  it.each(['Bun', 'Deno', 'document'])('%s: a read whose token is refused is signed once more', async (name) => {
    vi.stubGlobal(name, {});
    await using server = await new FaultServer((response, _received, number) => (number === 1 ? json(response, 401, refused) : json(response, 200, networks))).listen();
    await expect(clientOf(server, { retries: 0, allowBrowser: true }).crypto.networks()).resolves.toEqual(networks.networks);
    expect(new Set(server.received.map(({ claims }) => claims['jti'])).size).toBe(2);
  });

  it('and no more than once', async () => {
    vi.stubGlobal('Bun', {});
    await using server = await new FaultServer((response) => json(response, 401, refused)).listen();
    await expect(clientOf(server).crypto.networks()).rejects.toThrow(AuthenticationError);
    expect(server.received).toHaveLength(2);
  });

  it('a payment is not: it may be there', async () => {
    vi.stubGlobal('Bun', {});
    await using server = await new FaultServer((response) => json(response, 401, refused)).listen();
    await expect(clientOf(server).payments.create(paymentRequest)).rejects.toThrow(AuthenticationError);
    expect(server.received).toHaveLength(1);
  });
});

it('elsewhere a read whose token is refused fails at once', async () => {
  await using server = await new FaultServer((response) => json(response, 401, refused)).listen();
  await expect(clientOf(server).crypto.networks()).rejects.toThrow(AuthenticationError);
  expect(server.received).toHaveLength(1);
});
