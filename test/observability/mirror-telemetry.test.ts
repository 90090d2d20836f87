import { setImmediate } from 'node:timers/promises';
import { Corridor } from 'corridor-sdk';
import { SqliteMirror } from 'corridor-sdk/mirror/sqlite';
import { createMockPlatform } from 'corridor-sdk/mock';
import { observeMirror, telemetryHooks } from 'corridor-sdk/opentelemetry';
import { expect, onTestFinished, test } from 'vitest';
import { metering, recordSpans } from './telemetry-recorder.ts';

const { tracer, finishedSpans } = recordSpans();

test('each poll of a sync that follows is a span of its own, which ends before the next one', async () => {
  const platform = createMockPlatform();
  platform.populate({ customers: 1, beneficiaries: 1, payments: 3 });
  const stop = new AbortController();
  let polls = 0;
  const corridor = new Corridor({
    ...platform.clientOptions(),
    hooks: telemetryHooks({ tracer }),
    async sleep(milliseconds, _signal, purpose) {
      if (purpose === 'timeout') return new Promise(() => {});
      platform.clock.advance({ seconds: milliseconds / 1_000 });
      if ((polls += 1) === 3) stop.abort();
      return setImmediate();
    },
  });
  const mirror = new SqliteMirror(':memory:');
  onTestFinished(() => mirror.close());
  await corridor.sync(mirror, { signal: stop.signal });

  const spans = await finishedSpans();
  const workflows = spans.filter(({ name }) => name === 'sync');
  expect(workflows).toHaveLength(3);
  const traces = new Set(workflows.map((span) => span.spanContext().traceId));
  expect(traces.size).toBe(3);
  const requests = spans.filter(({ name }) => name !== 'sync');
  expect(requests.length).toBeGreaterThan(10);
  expect(requests.filter((span) => !traces.has(span.spanContext().traceId))).toEqual([]);
});

test('the age of each part of a mirror, what is behind and the last sequence are gauges', async () => {
  const platform = createMockPlatform();
  platform.payments.add({ id: 'pay_1', status: 'PROCESSING' });
  const mirror = new SqliteMirror(':memory:');
  const { meter, points, stop } = metering();
  const read = Date.now();
  const stopObserving = observeMirror(mirror, { meter, now: () => read + 90_000 });
  const values = async (name: string) =>
    (await points(name)).points.map(({ attributes, value }) => [attributes, value]);
  const parts = ['open', 'recent', 'older', 'customers', 'beneficiaries'];
  const ofParts = (value: number) => parts.map((part) => [{ 'corridor.mirror.part': part }, value]);

  expect(await values('corridor.mirror.age')).toEqual([]);
  expect(await values('corridor.mirror.behind')).toEqual(ofParts(1));
  await new Corridor({ ...platform.clientOptions(), now: () => read }).sync(mirror, { once: true });
  expect(await values('corridor.mirror.age')).toEqual(ofParts(90));
  expect(await values('corridor.mirror.behind')).toEqual(ofParts(0));
  const { lastSequence } = await mirror.status();
  expect(await values('corridor.mirror.last_sequence')).toEqual([[{}, lastSequence]]);
  expect(lastSequence).toBeGreaterThan(0);
  stopObserving();
  await stop();
});

test('a mirror that cannot be read records nothing', async () => {
  const mirror = new SqliteMirror(':memory:');
  mirror.close();
  const { meter, points, stop } = metering();
  observeMirror(mirror, { meter });
  for (const name of ['age', 'behind', 'last_sequence'])
    expect((await points(`corridor.mirror.${name}`)).points).toEqual([]);
  await stop();
});
