import { afterEach, describe, expect, it, vi } from 'vitest';
import { AuthenticationError } from 'corridor-sdk';
import { clientOf, FaultServer, json, networks, paymentRequest } from '../support/fault-server.ts';

afterEach(() => vi.unstubAllGlobals());

const errorBody = { code: 'token_replayed' };

describe('a runtime whose fetch resends requests (test/ecosystem/runtimes/ tests the real ones)', () => {
  it.each(['Bun', 'Deno', 'document'])('%s: a read whose token is rejected is signed again', async (name) => {
    vi.stubGlobal(name, {});
    // A browser does not say that it is Node, as tests with jsdom do.
    if (name === 'document') vi.stubGlobal('process', Object.create(process, { versions: { value: {} } }));
    await using server = await new FaultServer((response, _received, number) =>
      number === 1 ? json(response, 401, errorBody) : json(response, 200, networks),
    ).listen();
    await expect(clientOf(server, { maxRetries: 0, dangerouslyAllowBrowser: true }).crypto.networks()).resolves.toEqual(
      networks.networks,
    );
    expect(new Set(server.received.map(({ claims }) => claims['jti'])).size).toBe(2);
  });

  it('a read is not signed again in a test in Node that has a document, as with jsdom', async () => {
    vi.stubGlobal('document', {});
    await using server = await new FaultServer((response) => json(response, 401, errorBody)).listen();
    await expect(clientOf(server).crypto.networks()).rejects.toThrow(AuthenticationError);
    expect(server.received).toHaveLength(1);
  });

  it('a read is signed again at most once', async () => {
    vi.stubGlobal('Bun', {});
    await using server = await new FaultServer((response) => json(response, 401, errorBody)).listen();
    await expect(clientOf(server).crypto.networks()).rejects.toThrow(AuthenticationError);
    expect(server.received).toHaveLength(2);
  });

  it('a payment is not signed again, because it may have been created', async () => {
    vi.stubGlobal('Bun', {});
    await using server = await new FaultServer((response) => json(response, 401, errorBody)).listen();
    await expect(clientOf(server).payments.create(paymentRequest)).rejects.toThrow(AuthenticationError);
    expect(server.received).toHaveLength(1);
  });
});

it('in other runtimes a read whose token is rejected fails at once', async () => {
  await using server = await new FaultServer((response) => json(response, 401, errorBody)).listen();
  await expect(clientOf(server).crypto.networks()).rejects.toThrow(AuthenticationError);
  expect(server.received).toHaveLength(1);
});
