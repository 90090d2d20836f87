import type { Probe } from '../probe.js';
import { errorProbes, statusProbe } from './errors.js';
import { filterProbe, orderProbe, timeFilterProbe } from './lists.js';
import { dryProbes, paymentProbe } from './payments.js';
import { recordProbes } from './records.js';

/** The probes, in the order in which they run: later ones use the filter names and the responses of earlier ones. */
export const probes: readonly Probe[] = [
  filterProbe,
  timeFilterProbe,
  ...recordProbes,
  orderProbe,
  ...dryProbes,
  ...errorProbes,
  paymentProbe,
  statusProbe,
];
