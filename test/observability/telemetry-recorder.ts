import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { afterAll, beforeAll, beforeEach } from 'vitest';

/** Records the spans of the tests of one file: its tracer, and the spans that have ended, in the order of their ends. */
export function recordSpans() {
  const spans = new InMemorySpanExporter();
  const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter: spans })] });
  beforeAll(() => context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable()));
  afterAll(async () => {
    context.disable();
    await provider.shutdown();
  });
  beforeEach(() => spans.reset());
  const finishedSpans = async () => {
    await provider.forceFlush();
    return spans.getFinishedSpans();
  };
  return { tracer: provider.getTracer('test'), finishedSpans };
}

/** A meter and the values that it recorded. */
export function metering() {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const provider = new MeterProvider({ readers: [new PeriodicExportingMetricReader({ exporter })] });
  const points = async (name: string) => {
    await provider.forceFlush();
    const metrics =
      exporter
        .getMetrics()
        .at(-1)
        ?.scopeMetrics.flatMap((scope) => scope.metrics) ?? [];
    const metric = metrics.find(({ descriptor }) => descriptor.name === name);
    return {
      unit: metric?.descriptor.unit,
      points: metric?.dataPoints.map(({ attributes, value }) => ({ attributes, value })) ?? [],
    };
  };
  return { meter: provider.getMeter('test'), points, stop: () => provider.shutdown() };
}
