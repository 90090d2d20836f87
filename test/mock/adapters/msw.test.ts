import { Corridor, endpointNames } from 'corridor-sdk';
import { createMockPlatform } from 'corridor-sdk/mock';
import { mockHandlers } from 'corridor-sdk/mock/msw';
import { http, HttpResponse } from 'msw';
import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { calls } from '../../support/calls.ts';
import { payablePayment } from '../fixture.ts';

const platform = createMockPlatform();
const server = setupServer(
  ...mockHandlers(platform),
  http.get('https://partner.example/health', () => HttpResponse.text('well')),
);
const { fetch: _, ...options } = platform.clientOptions();
const corridor = new Corridor(options);

beforeAll(() => server.listen({ onUnhandledFrame: 'error' }));
afterEach(() => {
  server.resetHandlers();
  platform.reset();
});
afterAll(() => server.close());

describe('behind msw', () => {
  test('every endpoint responds to a client that uses the global fetch', async () => {
    const payment = payablePayment(platform);
    const { customerId } = payment;
    const person = platform.persons.add({ customerId });
    const ticket = platform.tickets.add();
    const ids = {
      id: customerId,
      customerId,
      personId: person.id,
      ticketId: ticket.id,
      attachmentId: ticket.attachments[0]?.id,
    };
    const needed = (name: string): Record<string, unknown> => {
      if (name === 'payments.create') return { ...payment };
      if (name.startsWith('documents')) return { id: platform.documents.add().id };
      if (name === 'customers.get' || name === 'customers.activity') return { id: ids.id };
      if (name === 'customers.beneficiaries') return { customerId };
      if (name.startsWith('screening')) return { customerId, personId: ids.personId };
      if (name === 'support.reply') return { ticketId: ids.ticketId, bodyText: 'Hello' };
      return name === 'support.attachmentUrl' ? { ticketId: ids.ticketId, attachmentId: ids.attachmentId } : {};
    };
    for (const name of endpointNames) await calls[name](corridor, needed(name));
    expect(platform.requests.map(({ endpoint }) => endpoint)).toEqual(endpointNames);
    expect(platform.requests.every(({ status }) => status !== undefined && status < 300)).toBe(true);
  });

  test('a client with the clock of the mock does not wait in real time for a response that is withheld', async () => {
    platform.clock.freeze();
    const before = platform.clock.now();
    platform.faults.next('crypto.networks', { kind: 'hang' });
    await expect(corridor.crypto.networks({ maxRetries: 0 })).rejects.toMatchObject({ code: 'timeout' });
    expect(platform.clock.now() - before).toBeGreaterThanOrEqual(10_000);
  });

  test('a signed URL can be downloaded', async () => {
    const { id } = platform.documents.add({ content: 'hello' });
    expect(await (await corridor.documents.download(id)).text()).toBe('hello');
  });

  test('a simulated browser that checks CORS, such as happy-dom, may send everything', async () => {
    const url = `${platform.baseUrl}/api/v1/crypto/networks`;
    expect((await fetch(url, { method: 'OPTIONS' })).status).toBe(401);
    expect((await fetch(url)).headers.get('access-control-allow-origin')).toBe(null);
    vi.stubGlobal('document', {});
    const preflight = await fetch(url, { method: 'OPTIONS' });
    const response = await fetch(url);
    vi.unstubAllGlobals();
    expect(preflight.status).toBe(204);
    for (const { headers } of [preflight, response])
      for (const name of ['origin', 'methods', 'headers'])
        expect(headers.get(`access-control-allow-${name}`)).toBe('*');
    expect(response.status).toBe(401);
  });

  test('an unknown path gets the response of the platform', async () => {
    await expect(corridor.request({ method: 'GET', path: '/api/v1/nowhere' })).rejects.toMatchObject({
      status: 404,
      body: { code: 'unknown_endpoint' },
    });
    expect((await fetch(platform.baseUrl)).status).toBe(401);
  });

  test("the partner's own handlers remain, and can override an endpoint", async () => {
    expect(await (await fetch('https://partner.example/health')).text()).toBe('well');
    server.use(
      http.get(`${platform.baseUrl}/api/v1/customers`, () =>
        HttpResponse.json({ items: [], nextCursor: null, hasMore: false }),
      ),
    );
    platform.customers.add();
    expect(await corridor.customers.list().toArray()).toEqual([]);
    server.resetHandlers();
    expect(await corridor.customers.list().toArray()).toHaveLength(1);
  });

  test('an error response reaches the client with its message', async () => {
    await expect(corridor.customers.get('cus_nobody')).rejects.toMatchObject({
      status: 404,
      body: { message: 'there is no such customer: cus_nobody' },
    });
  });
});

test('a base URL with a port and a path is matched', async () => {
  const local = createMockPlatform({ baseUrl: 'http://localhost:4010/corridor' });
  server.use(...mockHandlers(local));
  const { fetch: __, ...localOptions } = local.clientOptions();
  local.customers.add();
  expect(await new Corridor(localOptions).customers.list().toArray()).toHaveLength(1);
});
