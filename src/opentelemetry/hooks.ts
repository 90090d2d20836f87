import {
  context,
  INVALID_SPAN_CONTEXT,
  isSpanContextValid,
  metrics,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import type { Attributes, Meter, Span, SpanOptions, Tracer } from '@opentelemetry/api';
import { objectWith, optionsObject } from '../contract/option-schemas.js';
import { memoize } from '../contract/schema/schema.js';
import { requireOptions } from '../errors/options.js';
import type { CallEvent, Hooks, RequestEvent, WorkflowEvent } from '../index.js';
import { version } from '../version.js';
import { createInstruments, meterOption } from './instruments.js';

/** The tracer and the meter that record the telemetry. */
export interface TelemetryOptions {
  /** Creates the spans. @default the tracer `corridor-sdk` of the registered provider */
  readonly tracer?: Tracer | undefined;
  /** Creates the instruments. @default the meter `corridor-sdk` of the registered provider */
  readonly meter?: Meter | undefined;
}

const telemetryOptions = memoize(() =>
  optionsObject<TelemetryOptions>({
    tracer: objectWith<Tracer>(['startSpan'], { rule: 'must be a tracer of OpenTelemetry' }),
    meter: meterOption(),
  }),
);

interface OpenAttempt {
  readonly span: Span;
  readonly isMeasured: boolean;
  readonly started: number;
  readonly attributes: Attributes;
}

// What was recorded of each event, for all copies of this module in the process: hot reloads and a second module system
// load it again, and the hooks of a client and the channels of `observeAllClients` receive the same event.
const registryName = Symbol.for('corridor-sdk.telemetry');
const registry = globalThis as { [registryName]?: WeakMap<object, Set<unknown>> };
const recorded = (registry[registryName] ??= new WeakMap());

/** Returns whether an event is to be recorded: once for each tracer and once for each meter. */
function claim(event: object, recorder: unknown): boolean {
  const recorders = recorded.get(event) ?? new Set();
  recorded.set(event, recorders);
  return recorders.size < recorders.add(recorder).size;
}

/**
 * Creates hooks that record OpenTelemetry spans and metrics: a client span for each attempt and an internal span for
 * each workflow (`createOnce`, a poll of `changes`, …), which is the parent of its attempts. Names and attributes are
 * those of the semantic conventions for HTTP clients; headers, ids, bodies and full URLs are never recorded. Each is
 * recorded once, however often these hooks and `observeAllClients` are used. Register your providers first.
 *
 * @example
 * ```ts
 * import { Corridor } from 'corridor-sdk';
 * import { telemetryHooks } from 'corridor-sdk/opentelemetry';
 * const corridor = new Corridor({ hooks: telemetryHooks() });
 * console.log((await corridor.crypto.networks()).length);
 * ```
 */
export function telemetryHooks(options: TelemetryOptions = {}): Required<Hooks> {
  requireOptions(telemetryOptions, options, 'the options of telemetry');
  const { tracer = trace.getTracer('corridor-sdk', version), meter = metrics.getMeter('corridor-sdk', version) } =
    options;
  // The API may return another object at each call for the default tracer.
  const startSpan = (event: object, name: string, spanOptions: SpanOptions): Span =>
    claim(event, options.tracer ?? 'default tracer')
      ? tracer.startSpan(name, spanOptions)
      : trace.wrapSpanContext(INVALID_SPAN_CONTEXT);
  const claimMetrics = (event: object): boolean => claim(event, options.meter ?? 'default meter');
  const instruments = createInstruments(meter);
  const attempts = new Map<string, OpenAttempt>();

  const startAttempt = (event: RequestEvent): void => {
    const { endpoint, method, pathTemplate, attempt, callId } = event;
    const attributes = { 'http.request.method': method, 'url.template': pathTemplate, ...serverAttributes(event) };
    const span = startSpan(event, `${method} ${pathTemplate}`, {
      kind: SpanKind.CLIENT,
      attributes: {
        ...attributes,
        'corridor.endpoint': endpoint,
        ...(attempt > 1 && { 'http.request.resend_count': attempt - 1 }),
      },
    });
    const isMeasured = claimMetrics(event);
    attempts.set(callId, { span, isMeasured, started: performance.now(), attributes });
    if (isMeasured && attempt === 1) instruments.calls.add(1, { 'corridor.endpoint': endpoint });
  };

  // An attempt that got a response has already ended when its retry or its error is reported.
  const endAttempt = ({ callId }: CallEvent, status: number | undefined, errorType: string | undefined): void => {
    const open = attempts.get(callId);
    if (open === undefined) return;
    attempts.delete(callId);
    const type = errorType ?? (status !== undefined && status >= 400 ? String(status) : undefined);
    const result: Attributes = {
      ...(status !== undefined && { 'http.response.status_code': status }),
      ...(type !== undefined && { 'error.type': type }),
    };
    open.span.setAttributes(result);
    if (type !== undefined) open.span.setStatus({ code: SpanStatusCode.ERROR });
    open.span.end();
    if (open.isMeasured)
      instruments.duration.record((performance.now() - open.started) / 1000, { ...open.attributes, ...result });
  };

  const traceWorkflow = (event: WorkflowEvent): void => {
    const { workflow, observe } = event;
    const span = startSpan(event, workflow, { attributes: { 'corridor.workflow': workflow } });
    const isMeasured = claimMetrics(event);
    const scope = trace.setSpan(context.active(), span);
    observe({
      run: isSpanContextValid(span.spanContext()) ? (work) => context.with(scope, work) : undefined,
      end: ({ duration, errorType, outcome, created, recovered }) => {
        const result: Attributes = {
          ...(errorType !== undefined && { 'error.type': errorType }),
          ...(outcome !== undefined && { 'corridor.outcome': outcome }),
        };
        span.setAttributes({
          ...result,
          ...(created !== undefined && { 'corridor.created': created }),
          ...(recovered !== undefined && { 'corridor.recovered': recovered }),
        });
        // A signal is the normal end of `changes`.
        if (errorType !== undefined && errorType !== 'aborted') span.setStatus({ code: SpanStatusCode.ERROR });
        span.end();
        if (!isMeasured) return;
        instruments.workflowDuration.record(duration / 1000, { 'corridor.workflow': workflow, ...result });
        if (workflow === 'payments.createOnce' && outcome === 'unknown')
          instruments.unknownOutcomes.add(1, { 'corridor.operation': workflow });
      },
    });
  };

  return {
    onRequest: startAttempt,
    onResponse: (event) => endAttempt(event, event.status, event.errorType),
    onRetry: (event) => {
      endAttempt(event, event.status, event.errorType);
      if (!claimMetrics(event)) return;
      instruments.retries.add(1, {
        'corridor.endpoint': event.endpoint,
        'error.type': event.errorType ?? String(event.status),
      });
    },
    onError: (event) => {
      const { endpoint, method, status, code, outcome } = event;
      endAttempt(event, status, code);
      if (!claimMetrics(event)) return;
      instruments.failures.add(1, { 'corridor.endpoint': endpoint, 'error.type': code, 'corridor.outcome': outcome });
      if (method !== 'GET' && outcome === 'unknown')
        instruments.unknownOutcomes.add(1, { 'corridor.operation': endpoint });
    },
    // Nothing failed: the span ends without an error and is not part of the durations.
    onCancel: ({ callId }) => {
      attempts.get(callId)?.span.setAttribute('corridor.canceled', true).end();
      attempts.delete(callId);
    },
    // The span and the counters of the response show the 429.
    onThrottle: () => {},
    onWorkflow: traceWorkflow,
  };
}

function serverAttributes({ origin }: CallEvent): Attributes {
  const { hostname, port, protocol } = new URL(origin);
  return {
    'server.address': hostname,
    'server.port': port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port),
  };
}
