import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Corridor } from 'corridor-sdk';
import { createMockPlatform, MockPlatformError } from 'corridor-sdk/mock';
import { intercept, mockHandlers, assertInterception } from 'corridor-sdk/mock/msw';
import { http, HttpResponse } from 'msw';
import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test, vi } from 'vitest';

// The server that a request would reach without interception.
const outside = createServer((_request, response) => response.end('outside'));
let outsideUrl = '';
beforeAll(async () => {
  await new Promise<void>((resolve) => outside.listen(0, '127.0.0.1', resolve));
  outsideUrl = `http://127.0.0.1:${(outside.address() as AddressInfo).port}`;
});
afterAll(() => outside.close());

const running: { close(): void }[] = [];
afterEach(() => running.splice(0).forEach((server) => server.close()));

function serverOf(...handlers: Parameters<typeof setupServer>): ReturnType<typeof setupServer> {
  const server = setupServer(...handlers);
  running.push(server);
  return server;
}

test('a client that uses the global fetch reaches the platform', async () => {
  const platform = createMockPlatform();
  await intercept(serverOf(...mockHandlers(platform)), platform);
  platform.customers.add();
  const { fetch: _, ...options } = platform.clientOptions();
  expect(await new Corridor(options).customers.list().toArray()).toHaveLength(1);
  expect(platform.requests.map(({ endpoint }) => endpoint)).toEqual(['customers.list']);
});

test('a payment that is created through the global fetch arrives complete', async () => {
  const platform = createMockPlatform();
  await intercept(serverOf(...mockHandlers(platform)), platform);
  const { fetch: _, ...options } = platform.clientOptions();
  const params = platform.payments.createParams({ purposeOfPayment: 'Käse' });
  const payment = await new Corridor(options).payments.create(params);
  expect(payment.purposeOfPayment).toBe('Käse');
  expect(platform.requests.to('payments.create')).toHaveLength(1);
});

test('an unhandled request does not reach the network', async () => {
  const platform = createMockPlatform();
  await intercept(serverOf(...mockHandlers(platform)), platform);
  await expect(fetch(outsideUrl)).rejects.toThrow();
});

test('an unhandled request reaches the network if onUnhandledRequest allows it', async () => {
  const platform = createMockPlatform();
  await intercept(serverOf(...mockHandlers(platform)), platform, { onUnhandledRequest: 'bypass' });
  expect(await (await fetch(outsideUrl)).text()).toBe('outside');
});

test('a function decides about an unhandled request', async () => {
  const platform = createMockPlatform();
  const printed = vi.spyOn(console, 'error').mockReturnValue(undefined);
  onTestFinished(() => printed.mockRestore());
  const urls: string[] = [];
  await intercept(serverOf(...mockHandlers(platform)), platform, {
    onUnhandledRequest: ({ url }, print) => {
      urls.push(url);
      if (url.endsWith('/error')) print.error();
    },
  });
  expect(await (await fetch(outsideUrl)).text()).toBe('outside');
  await fetch(`${outsideUrl}/error`).catch(() => undefined);
  expect(urls).toEqual([`${outsideUrl}/`, `${outsideUrl}/error`]);
  expect(printed).toHaveBeenCalledOnce();
  await expect(intercept(setupServer(), platform, { onUnhandledRequest: 'ignore' as 'bypass' })).rejects.toThrow(
    'received "ignore"',
  );
});

test('a second server that takes over from the first is reported', async () => {
  const platform = createMockPlatform({ baseUrl: outsideUrl });
  await intercept(serverOf(...mockHandlers(platform)), platform);
  serverOf(http.get('https://partner.example/health', () => HttpResponse.text('well'))).listen({
    onUnhandledFrame: 'bypass',
  });
  await expect(assertInterception(platform)).rejects.toThrow(
    /^fetch does not reach the mock platform at .*: msw is not listening, or another msw server of this process replaced it/,
  );
});

test('handlers that were not passed to the server are reported, and the server is closed', async () => {
  const platform = createMockPlatform({ baseUrl: outsideUrl });
  const started = intercept(setupServer(), platform);
  await expect(started).rejects.toThrow(MockPlatformError);
  await intercept(serverOf(...mockHandlers(platform)), platform);
});

test('another platform at the same base URL is reported', async () => {
  const [first, second] = [createMockPlatform(), createMockPlatform()];
  await intercept(serverOf(...mockHandlers(first), ...mockHandlers(second)), first);
  await expect(assertInterception(second)).rejects.toThrow('Pass a different baseUrl to one of the platforms.');
});
