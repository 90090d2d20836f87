import { CorridorError } from '../errors/api.js';
import { diagnosticsChannel, ignoreErrors, type Hooks, type WorkflowObserver, type WorkflowResult } from './events.js';
import type { Timing } from './timing/timers.js';

/** What the result of `createOnce` adds to its report. */
type WorkflowDetails = Partial<Pick<WorkflowResult, 'created' | 'recovered'>>;

/** Reports workflows to the hook `onWorkflow` and to the channel `corridor-sdk:workflow`. */
export interface WorkflowTracer {
  /** Reports a workflow that is one promise. `describe` returns what its result adds to the report. */
  trace<T>(workflow: string, work: () => Promise<T>, describe?: (result: T) => WorkflowDetails): Promise<T>;
  /** Reports a workflow that yields values. The code of the consumer does not run in the context of the observers. */
  iterate<T>(workflow: string, values: AsyncGenerator<T, void, undefined>): AsyncGenerator<T, void, undefined>;
}

/** One workflow that is being reported. */
interface Trace {
  run<T>(work: () => Promise<T>): Promise<T>;
  /** Only the first call counts. */
  end(result: WorkflowDetails & { readonly error?: unknown }): void;
}

const untraced: Trace = { run: (work) => work(), end: () => {} };

/** Creates the tracer of a client. Without a hook or a subscriber, it does nothing. */
export function createTracer(hooks: Hooks, timing: Timing): WorkflowTracer {
  const channel = diagnosticsChannel('workflow');
  const start = (workflow: string): Trace => {
    if (hooks.onWorkflow === undefined && channel?.hasSubscribers !== true) return untraced;
    const observers: WorkflowObserver[] = [];
    const observe = (observer: WorkflowObserver): void => void observers.push(observer);
    const event = Object.freeze({ type: 'workflow' as const, workflow, observe });
    ignoreErrors(() => hooks.onWorkflow?.(event));
    ignoreErrors(() => channel?.publish(event));
    return createTrace(observers, timing);
  };
  return {
    async trace(workflow, work, describe = () => ({})) {
      const trace = start(workflow);
      try {
        const result = await trace.run(work);
        trace.end(describe(result));
        return result;
      } catch (error) {
        trace.end({ error });
        throw error;
      }
    },
    async *iterate(workflow, values) {
      const trace = start(workflow);
      try {
        for (;;) {
          const { done, value } = await trace.run(() => values.next());
          if (done === true) return;
          yield value;
        }
      } catch (error) {
        trace.end({ error });
        throw error;
      } finally {
        await values.return();
        trace.end({});
      }
    },
  };
}

function createTrace(observers: readonly WorkflowObserver[], timing: Timing): Trace {
  const started = timing.elapsed();
  let ended = false;
  return {
    run: (work) => observers.reduceRight<typeof work>((inner, observer) => runIn(observer, inner), work)(),
    end: ({ error, created, recovered }) => {
      if (ended) return;
      ended = true;
      const known = error instanceof CorridorError ? error : undefined;
      const result: WorkflowResult = Object.freeze({
        duration: timing.elapsed() - started,
        errorType: known?.code ?? (error === undefined ? undefined : ('other' as const)),
        outcome: known?.outcome,
        created,
        recovered,
      });
      for (const observer of observers) ignoreErrors(() => observer.end?.(result));
    },
  };
}

// An observer that throws, or that calls the work twice or never, must not be able to break a payment.
function runIn<T>(observer: WorkflowObserver, work: () => Promise<T>): () => Promise<T> {
  let started: Promise<T> | undefined;
  const start = (): Promise<T> => (started ??= work());
  return () => {
    ignoreErrors(() => observer.run?.(start));
    return start();
  };
}
