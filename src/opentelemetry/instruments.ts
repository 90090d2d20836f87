import type { Meter } from '@opentelemetry/api';
import { objectWith } from '../contract/option-schemas.js';

// The boundaries that the semantic conventions recommend, in seconds.
const durationBoundaries = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

/** Creates the schema of the option `meter`. */
export const meterOption = () =>
  objectWith<Meter>(['createCounter', 'createObservableGauge'], { rule: 'must be a meter of OpenTelemetry' });

/** Creates the instruments of clients. */
export function createInstruments(meter: Meter) {
  return {
    duration: meter.createHistogram('http.client.request.duration', {
      unit: 's',
      description: 'Duration of HTTP client requests.',
      advice: { explicitBucketBoundaries: durationBoundaries },
    }),
    calls: meter.createCounter('corridor.client.calls', { unit: '{call}', description: 'Calls that started.' }),
    retries: meter.createCounter('corridor.client.retries', {
      unit: '{retry}',
      description: 'Attempts that failed and were followed by another one.',
    }),
    failures: meter.createCounter('corridor.client.failures', {
      unit: '{call}',
      description: 'Calls that ended with an error.',
    }),
    unknownOutcomes: meter.createCounter('corridor.client.unknown_outcomes', {
      unit: '{call}',
      description: 'Writes for which it is unknown whether the platform processed them.',
    }),
    workflowDuration: meter.createHistogram('corridor.workflow.duration', {
      unit: 's',
      description: 'Duration of workflows such as payments.createOnce.',
      advice: { explicitBucketBoundaries: [...durationBoundaries, 30, 60, 120] },
    }),
  };
}
