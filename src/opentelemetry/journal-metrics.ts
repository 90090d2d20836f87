import { metrics, type BatchObservableCallback, type Meter } from '@opentelemetry/api';
import { functionOf, optionsObject } from '../contract/option-schemas.js';
import { memoize } from '../contract/schema/schema.js';
import { requireOptions } from '../errors/options.js';
import type { Journal } from '../index.js';
import { version } from '../version.js';
import { meterOption } from './instruments.js';

/** The options of `observeJournal`. */
export interface JournalTelemetryOptions {
  /** Creates the instruments. @default the meter `corridor-sdk` of the registered provider */
  readonly meter?: Meter | undefined;
  /** Returns the current time, in milliseconds since the epoch. @default Date.now */
  readonly now?: (() => number) | undefined;
}

/** The options of metrics that are read at each collection. */
export const metricsOptions = memoize(() =>
  optionsObject<JournalTelemetryOptions>({ meter: meterOption(), now: functionOf() }),
);

/**
 * Records how many entries of a journal are pending (`corridor.journal.pending`) and the age of the oldest one in
 * seconds (`corridor.journal.pending.age`), read at each collection. Returns a function that stops it. An entry that
 * stays pending is a payment with an unknown outcome: alert on its age. If the journal cannot be read, nothing is
 * recorded: alert on missing data, too.
 *
 * @example
 * ```ts
 * import { Corridor, MemoryJournal } from 'corridor-sdk';
 * import { observeJournal } from 'corridor-sdk/opentelemetry';
 * const journal = new MemoryJournal();
 * const corridor = new Corridor({ journal });
 * const stop = observeJournal(journal);
 * await corridor.payments.reconcilePending();
 * stop();
 * ```
 */
export function observeJournal(
  journal: Pick<Journal, 'listPending'>,
  options: JournalTelemetryOptions = {},
): () => void {
  requireOptions(metricsOptions, options, 'the options of observeJournal');
  const { meter = metrics.getMeter('corridor-sdk', version), now = Date.now } = options;
  const count = meter.createObservableGauge('corridor.journal.pending', {
    unit: '{entry}',
    description: 'Pending entries of the journal.',
  });
  const age = meter.createObservableGauge('corridor.journal.pending.age', {
    unit: 's',
    description: 'Age of the oldest pending entry of the journal.',
  });
  const observe: BatchObservableCallback = async (result) => {
    // The error of a journal can contain the payment, and OpenTelemetry logs the errors of callbacks.
    const intents = await journal.listPending().catch(() => undefined);
    if (intents === undefined) return;
    // A damaged entry has an empty time.
    const times = intents.map(({ createdAt }) => Date.parse(createdAt)).filter((time) => !Number.isNaN(time));
    const current = now();
    const oldest = times.reduce((one, other) => Math.min(one, other), current);
    result.observe(count, intents.length);
    result.observe(age, (current - oldest) / 1000);
  };
  meter.addBatchObservableCallback(observe, [count, age]);
  return () => meter.removeBatchObservableCallback(observe, [count, age]);
}
