import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { metrics, SpanKind, SpanStatusCode, trace, type Attributes, type Meter, type Span, type Tracer } from '@opentelemetry/api';
import { Corridor, type CallEvent, type CancelEvent, type ErrorEvent, type Hooks, type RequestEvent, type ResponseEvent, type RetryEvent } from 'corridor-sdk';

/** What the telemetry is written with; by default whatever the process has registered. */
export interface TelemetryOptions {
  /** Host of the platform, for `server.address`. */
  readonly serverAddress?: string;
  readonly tracer?: Tracer;
  readonly meter?: Meter;
}

/**
 * Hooks that write OpenTelemetry: a client span for every attempt, under whatever span is active where the call was made, the duration of
 * requests, and how many retries and failed calls there were. Names are those of the semantic conventions for HTTP clients. `url.full` is left
 * out, because it holds ids; nothing else that is written does.
 */
export function telemetryHooks(options: TelemetryOptions = {}): Required<Hooks> {
  const { tracer = trace.getTracer('corridor-sdk'), meter = metrics.getMeter('corridor-sdk') } = options;
  const durations = meter.createHistogram('http.client.request.duration', {
    unit: 's', description: 'Duration of HTTP client requests.',
    advice: { explicitBucketBoundaries: [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10] },
  });
  const retries = meter.createCounter('corridor.client.retries', { description: 'Attempts that were made again.' });
  const failures = meter.createCounter('corridor.client.failures', { description: 'Calls that ended with an error.' });
  const open = new Map<string, { readonly span: Span; readonly began: number; readonly attributes: Attributes }>();

  const begin = (event: RequestEvent): void => {
    const attributes: Attributes = {
      'http.request.method': event.method,
      'url.template': event.path,
      ...(options.serverAddress !== undefined && { 'server.address': options.serverAddress }),
    };
    const resend = event.attempt > 1 ? { 'http.request.resend_count': event.attempt - 1 } : {};
    const span = tracer.startSpan(`${event.method} ${event.path}`, { kind: SpanKind.CLIENT, attributes: { ...attributes, ...resend, 'corridor.endpoint': event.endpoint } });
    open.set(event.call, { span, began: performance.now(), attributes });
  };

  // An attempt that got an answer is over by the time its retry or its error is told of.
  const end = ({ call }: CallEvent, status: number | undefined, fault: string | undefined): void => {
    const attempt = open.get(call);
    if (attempt === undefined) return;
    open.delete(call);
    const errorType = fault ?? (status !== undefined && status >= 400 ? String(status) : undefined);
    const outcome: Attributes = {
      ...(status !== undefined && { 'http.response.status_code': status }),
      ...(errorType !== undefined && { 'error.type': errorType }),
    };
    attempt.span.setAttributes(outcome);
    if (errorType !== undefined) attempt.span.setStatus({ code: SpanStatusCode.ERROR });
    attempt.span.end();
    durations.record((performance.now() - attempt.began) / 1000, { ...attempt.attributes, ...outcome });
  };

  return {
    request: begin,
    response: (event: ResponseEvent) => end(event, event.status, event.fault),
    retry: (event: RetryEvent) => {
      end(event, event.status, event.fault);
      retries.add(1, { 'corridor.endpoint': event.endpoint, 'error.type': event.fault ?? String(event.status) });
    },
    error: (event: ErrorEvent) => {
      end(event, event.status, event.code);
      failures.add(1, { 'corridor.endpoint': event.endpoint, 'error.type': event.code, 'corridor.outcome': event.outcome });
    },
    // Nothing failed, and nobody waited for it: the span ends, and no metric counts it.
    cancel: ({ call }: CancelEvent) => {
      open.get(call)?.span.setAttribute('corridor.cancelled', true).end();
      open.delete(call);
    },
  };
}

/** The same for every client of the process, wherever it is made; gives the function that ends it. */
export function observeAllClients(options: TelemetryOptions = {}): () => void {
  const hooks = Object.entries(telemetryHooks(options)).map(([type, hook]) => {
    const listener = (event: unknown): void => (hook as (event: unknown) => void)(event);
    return [`corridor-sdk:${type}`, listener] as const;
  });
  for (const [channel, listener] of hooks) subscribe(channel, listener);
  return () => {
    for (const [channel, listener] of hooks) unsubscribe(channel, listener);
  };
}

// node --import ./your-opentelemetry-setup.js examples/opentelemetry.ts
if (import.meta.main) {
  const corridor = new Corridor({ hooks: telemetryHooks() });
  const count = await trace.getTracer('examples').startActiveSpan('list networks', async (span) => {
    const networks = await corridor.crypto.networks();
    span.end();
    return networks.length;
  });
  console.log(count, 'networks, in spans and metrics');
}
