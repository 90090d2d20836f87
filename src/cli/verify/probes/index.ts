import type { Probe } from '../probe.js';
import { downloadProbes } from './downloads.js';
import { errorProbes, errorStatusProbe } from './errors.js';
import { fieldProbes, statusProbe } from './fields.js';
import { filterProbes } from './filters.js';
import { rateLimitProbe, requestSizeProbe } from './limits.js';
import { listProbes } from './lists.js';
import { partyProbes } from './parties.js';
import { paymentProbes } from './payments.js';
import { receiptProbes } from './receipts.js';
import { requestProbes } from './requests.js';
import { tokenProbes } from './tokens.js';
import { untestableProbes } from './untestable.js';

/** All probes, in the order in which they run: later ones use the filter names and the responses of earlier ones. */
export const probes: readonly Probe[] = [
  ...filterProbes,
  ...fieldProbes,
  ...listProbes,
  ...requestProbes,
  ...partyProbes,
  ...errorProbes,
  ...paymentProbes,
  ...downloadProbes,
  ...receiptProbes,
  ...tokenProbes,
  ...untestableProbes,
  statusProbe,
  requestSizeProbe,
  errorStatusProbe,
  rateLimitProbe,
];
