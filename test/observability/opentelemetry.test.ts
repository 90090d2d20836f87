import { INVALID_SPAN_CONTEXT, trace, SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { Corridor, type CorridorOptions } from 'corridor-sdk';
import { createMockPlatform } from 'corridor-sdk/mock';
import { observeAllClients, telemetryHooks } from 'corridor-sdk/opentelemetry';
import { beforeEach, expect, test, vi } from 'vitest';
import { metering, recordSpans } from './telemetry-recorder.ts';

const { tracer, finishedSpans } = recordSpans();
const platform = createMockPlatform();
const { apiKey } = await platform.credentials();
const server = { 'server.address': 'api.corridor.test', 'server.port': 443 };
const template = '/api/v1/customers/{id}';

beforeEach(() => platform.reset());

/** A client whose next requests fail before they reach the platform: with a status or a broken connection. */
function client(faults: (number | 'reset')[], options: CorridorOptions = {}): Corridor {
  const fetch: typeof globalThis.fetch = async (...request) => {
    const fault = faults.shift();
    if (fault === 'reset')
      throw Object.assign(new TypeError('fetch failed'), {
        cause: Object.assign(new Error('reset'), { code: 'ECONNRESET' }),
      });
    return fault === undefined ? platform.fetch(...request) : Response.json({}, { status: fault });
  };
  return new Corridor({
    ...platform.clientOptions(),
    fetch,
    sleep: async (ms, signal) =>
      ms >= 30_000 ? new Promise((resolve) => signal.addEventListener('abort', () => resolve())) : undefined,
    ...options,
  });
}

test('each attempt is a client span, named and described as the conventions ask', async () => {
  const { id } = platform.customers.add();
  await client([503], { hooks: telemetryHooks({ tracer }) }).customers.get(id);

  const common = {
    'http.request.method': 'GET',
    'url.template': template,
    ...server,
    'corridor.endpoint': 'customers.get',
  };
  expect(
    (await finishedSpans()).map(({ name, kind, status, attributes }) => ({
      name,
      kind,
      status: status.code,
      attributes,
    })),
  ).toEqual([
    {
      name: `GET ${template}`,
      kind: SpanKind.CLIENT,
      status: SpanStatusCode.ERROR,
      attributes: { ...common, 'http.response.status_code': 503, 'error.type': '503' },
    },
    {
      name: `GET ${template}`,
      kind: SpanKind.CLIENT,
      status: SpanStatusCode.UNSET,
      attributes: { ...common, 'http.request.resend_count': 1, 'http.response.status_code': 200 },
    },
  ]);
});

test('an attempt without a response is a span with the error type', async () => {
  const { id } = platform.customers.add();
  await client(['reset'], { hooks: telemetryHooks({ tracer }) }).customers.get(id);

  const [lost] = await finishedSpans();
  expect(lost?.attributes).toMatchObject({ 'error.type': 'ECONNRESET' });
  expect(lost?.attributes).not.toHaveProperty('http.response.status_code');
});

test('an unusable response is an error, although its status is 200', async () => {
  await client([200], { hooks: telemetryHooks({ tracer }), maxRetries: 0 })
    .crypto.networks()
    .catch(() => {});

  expect(
    (await finishedSpans()).map(({ attributes }) => [
      attributes['http.response.status_code'],
      attributes['error.type'],
    ]),
  ).toEqual([[200, 'invalid-response']]);
});

test('spans of concurrent calls are children of the span in which each was made', async () => {
  const corridor = client([], { hooks: telemetryHooks({ tracer }) });
  const ids = platform.customers.addMany(5).map(({ id }) => id);
  await Promise.all(
    ids.map((id, index) =>
      tracer.startActiveSpan(`job ${index}`, async (span) => {
        await corridor.customers.get(id);
        await corridor.payments.list().toArray();
        span.end();
      }),
    ),
  );

  const finished = await finishedSpans();
  const jobs = finished.filter(({ name }) => name.startsWith('job'));
  const children = jobs.map((job) =>
    finished
      .filter(({ parentSpanContext }) => parentSpanContext?.spanId === job.spanContext().spanId)
      .map(({ name }) => name),
  );
  expect(children).toEqual(jobs.map(() => [`GET ${template}`, 'GET /api/v1/payment']));
});

test('durations, retries and failed calls are metrics', async () => {
  const { meter, points, stop } = metering();
  const corridor = client([503, 404], { hooks: telemetryHooks({ meter }) });
  await corridor.customers.get('cus_0').catch(() => {});
  await corridor.crypto.networks();

  const get = { 'http.request.method': 'GET', 'url.template': template, ...server };
  const durations = await points('http.client.request.duration');
  expect(durations.unit).toBe('s');
  expect(durations.points.map(({ attributes, value }) => [attributes, (value as { count: number }).count])).toEqual([
    [{ ...get, 'http.response.status_code': 503, 'error.type': '503' }, 1],
    [{ ...get, 'http.response.status_code': 404, 'error.type': '404' }, 1],
    [{ ...get, 'url.template': '/api/v1/crypto/networks', 'http.response.status_code': 200 }, 1],
  ]);
  expect((await points('corridor.client.calls')).points).toEqual([
    { attributes: { 'corridor.endpoint': 'customers.get' }, value: 1 },
    { attributes: { 'corridor.endpoint': 'crypto.networks' }, value: 1 },
  ]);
  expect((await points('corridor.client.retries')).points).toEqual([
    { attributes: { 'corridor.endpoint': 'customers.get', 'error.type': '503' }, value: 1 },
  ]);
  expect((await points('corridor.client.failures')).points).toEqual([
    {
      attributes: { 'corridor.endpoint': 'customers.get', 'error.type': 'not-found', 'corridor.outcome': 'rejected' },
      value: 1,
    },
  ]);
  await stop();
});

test('a page that was fetched ahead in vain is a span without an error, and in no metric', async () => {
  const { meter, points, stop } = metering();
  platform.payments.addMany(250);
  const corridor = new Corridor({
    ...platform.clientOptions(),
    hooks: telemetryHooks({ tracer, meter }),
    fetch: (input, init) => (String(input).includes('cursor=') ? new Promise(() => {}) : platform.fetch(input, init)),
  });
  for await (const _ of corridor.payments.list()) break;

  await vi.waitFor(async () =>
    expect(
      (await finishedSpans()).map(({ status, attributes }) => [status.code, attributes['corridor.canceled']]),
    ).toEqual([
      [SpanStatusCode.UNSET, undefined],
      [SpanStatusCode.UNSET, true],
    ]),
  );
  expect(
    (await points('http.client.request.duration')).points.map(({ value }) => (value as { count: number }).count),
  ).toEqual([1]);
  expect((await points('corridor.client.failures')).points).toEqual([]);
  await stop();
});

test('clients created elsewhere are observed through diagnostics_channel until stopped', async () => {
  const corridor = client([]);
  const stop = observeAllClients({ tracer });
  await corridor.crypto.networks();
  stop();
  await corridor.crypto.networks();

  expect((await finishedSpans()).map(({ name }) => name)).toEqual(['GET /api/v1/crypto/networks']);
});

test('a tracer and a meter record each call once, whatever observes it, and others record it too', async () => {
  const [first, second] = [metering(), metering()];
  const telemetry = { tracer, meter: first.meter };
  const unsampled = { startSpan: vi.fn(() => trace.wrapSpanContext(INVALID_SPAN_CONTEXT)), startActiveSpan: vi.fn() };
  const stops = [telemetry, telemetry, { tracer: unsampled, meter: second.meter }].map((options) =>
    observeAllClients(options),
  );
  const corridor = client([503], { hooks: [telemetryHooks(telemetry), telemetryHooks(telemetry)] });
  await corridor.payments.find({ internalReference: 'order-4711', createdFrom: new Date() });
  const order = platform.payments.createParams();
  await client([500])
    .payments.create(order)
    .catch(() => {});
  for (const stop of stops) stop();

  const [failed, repeated, workflow, create] = await finishedSpans();
  expect([failed, repeated, workflow, create].map((span) => span?.name)).toEqual([
    'GET /api/v1/payment',
    'GET /api/v1/payment',
    'payments.find',
    'POST /api/v1/payment',
  ]);
  expect(await finishedSpans()).toHaveLength(4);
  expect(unsampled.startSpan).toHaveBeenCalledTimes(4);
  expect(repeated?.parentSpanContext?.spanId).toBe(workflow?.spanContext().spanId);
  for (const { points, stop } of [first, second]) {
    const totals = async (name: string) => (await points(name)).points.map(({ value }) => value);
    expect(await totals('corridor.client.calls')).toEqual([1, 1]);
    for (const name of ['retries', 'failures', 'unknown_outcomes'])
      expect(await totals(`corridor.client.${name}`), name).toEqual([1]);
    expect((await totals('http.client.request.duration')).map((value) => (value as { count: number }).count)).toEqual([
      1, 1, 1,
    ]);
    expect(await totals('corridor.workflow.duration')).toMatchObject([{ count: 1 }]);
    await stop();
  }
});

test('no id and no secret is written', async () => {
  const { meter, points, stop } = metering();
  const { id } = platform.customers.add();
  const corridor = client(['reset', 500], { hooks: telemetryHooks({ tracer, meter }) });
  await corridor.customers.get(id);
  await corridor.customers
    .list({ cursor: 'cursor_secret' })
    .toArray()
    .catch(() => {});

  const written = JSON.stringify([
    (await finishedSpans()).map(({ name, attributes, events, status }) => ({ name, attributes, events, status })),
    await points('http.client.request.duration'),
    await points('corridor.client.failures'),
  ]);
  for (const secret of [id, apiKey, 'cursor_secret', 'eyJ']) expect(written).not.toContain(secret);
  await stop();
});
