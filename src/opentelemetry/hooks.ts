import { context, metrics, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { Attributes, Meter, Span, Tracer } from '@opentelemetry/api';
import type { CallEvent, Hooks, RequestEvent, WorkflowEvent } from '../index.js';
import { version } from '../version.js';
import { createInstruments } from './instruments.js';

/** The tracer and the meter that record the telemetry. */
export interface TelemetryOptions {
  /** Creates the spans. @default the tracer `corridor-sdk` of the registered provider */
  readonly tracer?: Tracer | undefined;
  /** Creates the instruments. @default the meter `corridor-sdk` of the registered provider */
  readonly meter?: Meter | undefined;
}

interface OpenAttempt {
  readonly span: Span;
  readonly started: number;
  readonly attributes: Attributes;
}

/**
 * Creates hooks that record OpenTelemetry spans and metrics: a client span for each attempt and an internal span for
 * each workflow (`createOnce`, a poll of `changes`, …), which is the parent of its attempts. Names and attributes are
 * those of the semantic conventions for HTTP clients; headers, ids, bodies and full URLs are never recorded. Register
 * your providers first.
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
  const { tracer = trace.getTracer('corridor-sdk', version), meter = metrics.getMeter('corridor-sdk', version) } =
    options;
  const instruments = createInstruments(meter);
  const attempts = new Map<string, OpenAttempt>();

  const startAttempt = (event: RequestEvent): void => {
    const { endpoint, method, pathTemplate, attempt, callId } = event;
    const attributes = { 'http.request.method': method, 'url.template': pathTemplate, ...serverAttributes(event) };
    const span = tracer.startSpan(`${method} ${pathTemplate}`, {
      kind: SpanKind.CLIENT,
      attributes: {
        ...attributes,
        'corridor.endpoint': endpoint,
        ...(attempt > 1 && { 'http.request.resend_count': attempt - 1 }),
      },
    });
    attempts.set(callId, { span, started: performance.now(), attributes });
    if (attempt === 1) instruments.calls.add(1, { 'corridor.endpoint': endpoint });
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
    instruments.duration.record((performance.now() - open.started) / 1000, { ...open.attributes, ...result });
  };

  const traceWorkflow = ({ workflow, observe }: WorkflowEvent): void => {
    const span = tracer.startSpan(workflow, { attributes: { 'corridor.workflow': workflow } });
    const scope = trace.setSpan(context.active(), span);
    observe({
      run: (work) => context.with(scope, work),
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
      instruments.retries.add(1, {
        'corridor.endpoint': event.endpoint,
        'error.type': event.errorType ?? String(event.status),
      });
    },
    onError: (event) => {
      const { endpoint, method, status, code, outcome } = event;
      endAttempt(event, status, code);
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
