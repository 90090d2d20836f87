import { metrics, type BatchObservableCallback } from '@opentelemetry/api';
import { requireOptions } from '../errors/options.js';
import type { Mirror } from '../index.js';
import { version } from '../version.js';
import { metricsOptions, type JournalTelemetryOptions } from './journal-metrics.js';

/** The options of `observeMirror`. */
export type MirrorTelemetryOptions = JournalTelemetryOptions;

const parts = ['open', 'recent', 'older', 'customers', 'beneficiaries'] as const;
// A database that does not answer must not hold up the other metrics.
const timeout = 5_000;

/**
 * Records how old each part of a mirror is in seconds (`corridor.mirror.age`), whether it is behind
 * (`corridor.mirror.behind`, 1 or 0), both with the attribute `corridor.mirror.part`, and the sequence of the last
 * change (`corridor.mirror.last_sequence`), read at each collection. Returns a function that stops it. If the mirror
 * cannot be read, nothing is recorded: alert on missing data, too.
 *
 * @example
 * ```ts
 * import { observeMirror } from 'corridor-sdk/opentelemetry';
 * import { SqliteMirror } from 'corridor-sdk/mirror/sqlite';
 * const stop = observeMirror(new SqliteMirror('corridor.sqlite'));
 * process.once('SIGTERM', stop);
 * ```
 */
export function observeMirror(mirror: Pick<Mirror, 'status'>, options: MirrorTelemetryOptions = {}): () => void {
  requireOptions(metricsOptions, options, 'the options of observeMirror');
  const { meter = metrics.getMeter('corridor-sdk', version), now = Date.now } = options;
  const age = meter.createObservableGauge('corridor.mirror.age', {
    unit: 's',
    description: 'Time since every record of this part of the mirror was read.',
  });
  const behind = meter.createObservableGauge('corridor.mirror.behind', {
    description: 'Whether this part of the mirror was not read within two of its intervals.',
  });
  const sequence = meter.createObservableGauge('corridor.mirror.last_sequence', {
    unit: '{change}',
    description: 'Sequence of the last change of the mirror.',
  });
  const observe: BatchObservableCallback = async (result) => {
    // OpenTelemetry logs the errors of callbacks.
    const status = await mirror.status({ signal: AbortSignal.timeout(timeout) }).catch(() => undefined);
    if (status === undefined) return;
    for (const part of parts) {
      const attributes = { 'corridor.mirror.part': part };
      const { asOf, behind: isBehind } = status[part];
      if (asOf !== null) result.observe(age, (now() - Date.parse(asOf)) / 1000, attributes);
      result.observe(behind, isBehind ? 1 : 0, attributes);
    }
    result.observe(sequence, status.lastSequence);
  };
  const gauges = [age, behind, sequence];
  meter.addBatchObservableCallback(observe, gauges);
  return () => meter.removeBatchObservableCallback(observe, gauges);
}
