import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import {
  Corridor,
  JournalError,
  MemoryJournal,
  type Hooks,
  type PaymentCreateIntent,
  type PaymentCreateParams,
  type WorkflowResult,
} from 'corridor-sdk';
import { createMockPlatform, type MockPlatform } from 'corridor-sdk/mock';
import { observeAllClients, observeJournal, telemetryHooks } from 'corridor-sdk/opentelemetry';
import { expect, test } from 'vitest';
import { scripted } from '../support/scripted-fetch.ts';
import { failureOf } from '../support/failure-of.ts';
import { metering, recordSpans } from './telemetry-recorder.ts';

const { tracer, finishedSpans } = recordSpans();

/** Adds the records that a payment needs, and returns the request. */
function payable(platform: MockPlatform): PaymentCreateParams {
  const { id: customerId } = platform.customers.add();
  return {
    customerId,
    beneficiaryId: platform.beneficiaries.add({ customerId, currencyCode: 'USD' }).id,
    paymentQuoteId: platform.quotes.add({ customerId, paymentAmount: '10.00', paymentCurrencyCode: 'USD' }).id,
    documentIds: [platform.documents.add({ customerId }).id],
    amount: '10.00',
    currencyCode: 'USD',
    purposeOfPayment: 'Goods',
  };
}

const names = (spans: Awaited<ReturnType<typeof finishedSpans>>): string[] => spans.map(({ name }) => name);

test('createOnce is a span that contains the attempts of its requests', async () => {
  const platform = createMockPlatform();
  platform.faults.next('payments.create', { kind: 'reset-after-commit' });
  const corridor = new Corridor({ ...platform.clientOptions(), hooks: telemetryHooks({ tracer }) });
  await corridor.payments.createOnce(payable(platform));

  const spans = await finishedSpans();
  const workflow = spans.find(({ name }) => name === 'payments.createOnce');
  expect(workflow).toMatchObject({
    kind: SpanKind.INTERNAL,
    status: { code: SpanStatusCode.UNSET },
    attributes: { 'corridor.workflow': 'payments.createOnce', 'corridor.created': true, 'corridor.recovered': true },
  });
  const parents = spans
    .filter((span) => span !== workflow)
    .map(({ name, parentSpanContext }) => [name, parentSpanContext?.spanId]);
  expect(parents).toEqual([
    ['POST /api/v1/payment', workflow?.spanContext().spanId],
    ['GET /api/v1/payment', workflow?.spanContext().spanId],
  ]);
});

test('a createOnce whose outcome is unknown is a failed span and counts as an unknown outcome', async () => {
  const platform = createMockPlatform();
  const { meter, points, stop } = metering();
  platform.faults.next('payments.create', { kind: 'reset' });
  const corridor = new Corridor({ ...platform.clientOptions(), hooks: telemetryHooks({ tracer, meter }) });
  await corridor.payments.createOnce(payable(platform), { consistencyWindow: 0 }).catch(() => {});

  const workflow = (await finishedSpans()).find(({ name }) => name === 'payments.createOnce');
  const failed = { 'error.type': 'payment-outcome-unknown', 'corridor.outcome': 'unknown' };
  expect(workflow).toMatchObject({ status: { code: SpanStatusCode.ERROR }, attributes: failed });
  expect((await points('corridor.client.unknown_outcomes')).points).toEqual([
    { attributes: { 'corridor.operation': 'payments.create' }, value: 1 },
    { attributes: { 'corridor.operation': 'payments.createOnce' }, value: 1 },
  ]);
  const durations = await points('corridor.workflow.duration');
  expect(durations.unit).toBe('s');
  expect(durations.points.map(({ attributes }) => attributes)).toEqual([
    { 'corridor.workflow': 'payments.createOnce', ...failed },
  ]);
  await stop();
});

test('each poll of changes is a span that contains its requests and not the work of the consumer', async () => {
  const platform = createMockPlatform();
  platform.payments.addMany(2);
  const corridor = new Corridor({ ...platform.clientOptions(), hooks: telemetryHooks({ tracer }) });
  const since = new Date(platform.clock.now() - 60_000);
  for await (const _ of corridor.payments.changes({ since })) {
    tracer.startSpan('book').end();
    break;
  }

  const spans = await finishedSpans();
  const poll = spans.find(({ name }) => name === 'payments.changes');
  const parentOf = (wanted: string) => spans.find(({ name }) => name === wanted)?.parentSpanContext?.spanId;
  expect(poll).toMatchObject({ status: { code: SpanStatusCode.UNSET } });
  expect(parentOf('GET /api/v1/payment')).toBe(poll?.spanContext().spanId);
  expect(parentOf('book')).toBeUndefined();
});

test('an export is a span that contains its requests and not the work of the consumer', async () => {
  const platform = createMockPlatform();
  platform.payments.addMany(2);
  const corridor = new Corridor({ ...platform.clientOptions(), hooks: telemetryHooks({ tracer }) });
  const createdFrom = new Date(platform.clock.now() - 60_000);
  const pages = corridor.payments.export({ createdFrom }, { consistencyWindow: 0 }).pages();
  for await (const _ of pages) tracer.startSpan('book').end();

  const spans = await finishedSpans();
  const exported = spans.filter(({ name }) => name === 'payments.export');
  expect(exported).toMatchObject([{ status: { code: SpanStatusCode.UNSET } }]);
  const parents = (wanted: string) =>
    new Set(spans.filter(({ name }) => name === wanted).map(({ parentSpanContext }) => parentSpanContext?.spanId));
  expect(parents('GET /api/v1/payment')).toEqual(new Set([exported[0]?.spanContext().spanId]));
  expect(parents('book')).toEqual(new Set([undefined]));
});

test('changes that are ended by a signal leave no failed span', async () => {
  const platform = createMockPlatform();
  const corridor = new Corridor({ ...platform.clientOptions(), hooks: telemetryHooks({ tracer }) });
  const controller = new AbortController();
  platform.payments.add();
  const since = new Date(platform.clock.now() - 60_000);
  const following = (async () => {
    for await (const _ of corridor.payments.changes({ since, signal: controller.signal })) controller.abort();
  })();
  await expect(following).rejects.toMatchObject({ code: 'aborted' });

  const polls = (await finishedSpans()).filter(({ name }) => name === 'payments.changes');
  expect(polls.length).toBeGreaterThan(0);
  expect(polls.filter(({ status }) => status.code === SpanStatusCode.ERROR)).toEqual([]);
});

test('find, preflight, reconcilePending and waitForStatus are spans', async () => {
  const platform = createMockPlatform();
  const request = payable(platform);
  const payment = platform.payments.add({ status: 'COMPLETED' });
  const corridor = new Corridor({ ...platform.clientOptions(), hooks: telemetryHooks({ tracer }) });
  await corridor.payments.find({ id: payment.id });
  await corridor.payments.preflight(request);
  await corridor.payments.reconcilePending();
  await corridor.payments.waitForStatus(payment.id, { until: ['COMPLETED'], maxWait: 1000 });
  await corridor.customers.waitForStatus(request.customerId, { until: ['APPROVED'], maxWait: 1000 });

  expect(names(await finishedSpans()).filter((name) => !name.includes(' '))).toEqual([
    'payments.find',
    'payments.preflight',
    'payments.reconcilePending',
    'payments.waitForStatus',
    'customers.waitForStatus',
  ]);
});

test('no id of a payment is recorded', async () => {
  const platform = createMockPlatform();
  const { meter, points, stop } = metering();
  const request = payable(platform);
  platform.faults.next('payments.create', { kind: 'reset-after-commit' });
  const corridor = new Corridor({ ...platform.clientOptions(), hooks: telemetryHooks({ tracer, meter }) });
  const { payment } = await corridor.payments.createOnce(request);

  const recorded = JSON.stringify([
    (await finishedSpans()).map(({ name, attributes, events, status }) => ({ name, attributes, events, status })),
    await points('corridor.workflow.duration'),
    await points('corridor.client.calls'),
  ]);
  expect(recorded).toContain('payments.createOnce');
  for (const id of [payment.id, request.customerId, request.beneficiaryId, request.paymentQuoteId])
    expect(recorded).not.toContain(id);
  await stop();
});

test('workflows of clients that are created elsewhere are observed until stopped', async () => {
  const platform = createMockPlatform();
  const corridor = new Corridor(platform.clientOptions());
  const stop = observeAllClients({ tracer });
  await corridor.payments.find({ id: 'pay_0' });
  stop();
  await corridor.payments.find({ id: 'pay_0' });

  expect(names(await finishedSpans())).toEqual(['GET /api/v1/payment', 'payments.find']);
});

const disturbing: Readonly<Record<string, NonNullable<Hooks['onWorkflow']>>> = {
  throws: () => {
    throw new Error('a bug in a hook');
  },
  'runs the work twice': ({ observe }) =>
    observe({
      run: async (work) => {
        await work();
        return work();
      },
    }),
  'never runs the work': ({ observe }) => observe({ run: () => new Promise(() => {}) }),
  'throws instead of running the work': ({ observe }) =>
    observe({
      run: () => {
        throw new Error('a bug in an observer');
      },
      end: () => {
        throw new Error('a bug in an observer');
      },
    }),
  'rejects after the work': ({ observe }) =>
    observe({
      run: async (work) => {
        await work();
        throw new Error('the exporter is down');
      },
    }),
};

test.each(Object.entries(disturbing))('an observer that %s does not change createOnce', async (_, onWorkflow) => {
  const platform = createMockPlatform();
  const corridor = new Corridor({ ...platform.clientOptions(), hooks: { onWorkflow } });

  expect(await corridor.payments.createOnce(payable(platform))).toMatchObject({ created: true });
  expect(platform.requests.to('payments.create')).toHaveLength(1);
});

test('the end of an export that fails is reported once, with its duration', async () => {
  let time = Date.parse('2026-03-01T12:00:00Z');
  const ended: WorkflowResult[] = [];
  const { corridor } = scripted(
    () => {
      time += 250;
      return new Response(null, { status: 500 });
    },
    {
      now: () => time,
      sleep: () => new Promise(() => {}),
      maxRetries: 0,
      hooks: { onWorkflow: ({ observe }) => observe({ end: (result) => void ended.push(result) }) },
    },
  );
  const pages = corridor.payments.export({ createdFrom: '2026-01-01T00:00:00Z', createdTo: '2026-02-01T00:00:00Z' });
  await failureOf(pages.pages().next());
  expect(ended).toEqual([
    { duration: 250, errorType: 'server', outcome: 'unknown', created: undefined, recovered: undefined },
  ]);
});

test('pending entries of a journal are metrics: their number and the age of the oldest', async () => {
  const { meter, points, stop } = metering();
  const platform = createMockPlatform({ now: () => Date.parse('2026-03-01T12:00:00Z') });
  const journal = new MemoryJournal();
  const corridor = new Corridor({ ...platform.clientOptions(), journal });
  const stopObserving = observeJournal(journal, { meter, now: () => Date.parse('2026-03-01T12:01:30Z') });
  const values = async () =>
    Promise.all(
      ['corridor.journal.pending', 'corridor.journal.pending.age'].map(async (name) =>
        (await points(name)).points.map(({ attributes, value }) => [attributes, value]),
      ),
    );

  expect(await values()).toEqual([[[{}, 0]], [[{}, 0]]]);
  platform.faults.next('payments.create', { kind: 'reset' });
  await corridor.payments.createOnce(payable(platform), { consistencyWindow: 0 }).catch(() => {});
  expect(await values()).toEqual([[[{}, 1]], [[{}, 90]]]);
  stopObserving();
  await stop();
});

test('a journal that cannot be read, or holds a damaged entry, neither throws nor shows its content', async () => {
  const { meter, points, stop } = metering();
  let broken = true;
  const damaged = { version: 1, id: 'int_1', request: { paymentQuoteId: 'quo_1' }, createdAt: '', clockOffset: 0 };
  observeJournal(
    {
      listPending: async () => {
        if (broken) throw new JournalError('IBAN DE89370400440532013000', { endpoint: 'journal', outcome: 'not-sent' });
        return [damaged as never];
      },
    },
    { meter },
  );

  expect((await points('corridor.journal.pending')).points).toEqual([]);
  broken = false;
  expect((await points('corridor.journal.pending')).points).toEqual([{ attributes: {}, value: 1 }]);
  expect((await points('corridor.journal.pending.age')).points).toEqual([{ attributes: {}, value: 0 }]);
  await stop();
});

test('a journal of any size is recorded', async () => {
  const { meter, points, stop } = metering();
  const intent = { createdAt: '2026-03-01T12:00:00Z' } as PaymentCreateIntent;
  const pending = Array.from({ length: 300_000 }, () => intent);
  observeJournal({ listPending: async () => pending }, { meter, now: () => Date.parse('2026-03-01T12:01:30Z') });
  expect((await points('corridor.journal.pending.age')).points).toEqual([{ attributes: {}, value: 90 }]);
  await stop();
});
