import { createPrivateKey } from 'node:crypto';
import { request } from 'node:https';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { failureOf } from '../../support/failure-of.ts';
import { selfSigned } from '../../support/certificate.ts';
import { clientOf, paymentRequest } from '../../support/fault-server.ts';
import { privateKey } from '../../support/key.ts';
import { serveTlsFaults, tlsFaults } from './tls-fault-server.ts';

// In the Node that runs the tests; test/ecosystem/runtimes/ does the same in the others, through undici where their own
// fetch has no HTTP/2.

const certificate = selfSigned(createPrivateKey(privateKey));
const trusted = getCACertificates('default');
beforeAll(() => setDefaultCACertificates([...trusted, certificate]));
afterAll(() => setDefaultCACertificates(trusted));

// Each has a server, because Node 26 goes on using a session of HTTP/2 that broke.
describe.each(['http/1.1', 'h2'] as const)('over %s, after the POST was received', (protocol) => {
  it.each(tlsFaults)('%s: the outcome is unknown, and one POST was sent', async (internalReference) => {
    await using server = await serveTlsFaults(protocol, privateKey, certificate);
    const error = await failureOf(clientOf(server).payments.create({ ...paymentRequest, internalReference }));
    expect(error).toMatchObject({ outcome: 'unknown', attempts: [{ attempt: 1 }] });
    expect(server.posts).toMatchObject([{ fault: internalReference, protocol }]);
  });

  it.each([421, 401])('a %i is reported, and one POST was sent, with its length', async (status) => {
    await using server = await serveTlsFaults(protocol, privateKey, certificate);
    const request = { ...paymentRequest, internalReference: `status ${status}` };
    expect(await failureOf(clientOf(server).payments.create(request))).toMatchObject({ status });
    expect(server.posts).toMatchObject([{ protocol, length: String(JSON.stringify(request).length) }]);
  });
});

describe('over http/1.1 with a global fetch built on node:https, after the POST was received', () => {
  beforeEach(() => vi.stubGlobal('fetch', fetchOfHttps));
  afterEach(() => vi.unstubAllGlobals());

  it.each(tlsFaults)('%s: the outcome is unknown, and one POST was sent', async (internalReference) => {
    await using server = await serveTlsFaults('http/1.1', privateKey, certificate);
    const error = await failureOf(clientOf(server).payments.create({ ...paymentRequest, internalReference }));
    expect(error).toMatchObject({ outcome: 'unknown', attempts: [{ attempt: 1 }] });
    expect(server.posts).toMatchObject([{ fault: internalReference, protocol: 'http/1.1' }]);
  });
});

// Like node-fetch: the promise rejects with any error of the socket.
const fetchOfHttps: typeof fetch = (input, init) =>
  new Promise((resolve, reject) => {
    const outgoing = request(
      String(input),
      { method: init?.method ?? 'GET', headers: { ...(init?.headers as Record<string, string>) } },
      (incoming) => {
        incoming.resume().on('end', () => resolve(new Response('{}', { status: incoming.statusCode ?? 0 })));
      },
    );
    outgoing.on('error', reject).end(String(init?.body));
  });
