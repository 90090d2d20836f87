import type { Probe } from '../probe.js';
import { errorProbes, lastProbes, tokenProbe } from './errors.js';
import { listProbes } from './lists.js';
import { dryProbes, paymentProbes } from './payments.js';
import { recordProbes } from './records.js';

/** The questions that no request can settle, with the reasons. */
const untestable: readonly (readonly [row: string, question: string, reason: string])[] = [
  ['A-2', 'how a key is registered', 'no endpoint registers keys; that of this run is registered'],
  [
    'A-17',
    'which statuses of a payment are final',
    'a payment that does not change now can change later: ask the platform',
  ],
  ['A-19', 'which fields of `support.reply` are required', 'a reply would reach a person'],
  [
    'A-21',
    'how an invoice is distinguished from other documents',
    'no endpoint uploads or describes documents: ask the platform',
  ],
  ['A-38', 'whether a document of a payment can be deleted', 'the payment would lose its invoice: ask the platform'],
  ['A-39', 'whether a closed ticket accepts replies', 'a reply would reach a person'],
];

/** All probes, in the order in which they run: later ones use the filter names and the responses of earlier ones. */
export const probes: readonly Probe[] = [
  ...listProbes,
  ...recordProbes,
  ...dryProbes,
  ...errorProbes,
  ...paymentProbes,
  tokenProbe,
  ...untestable.map(([row, question, reason]): Probe => ({ row, question, observe: () => reason })),
  ...lastProbes,
];
