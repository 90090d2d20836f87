import { notTestable, type Probe } from '../probe.js';

const untestable = (row: string, question: string, reason: string): Probe => ({
  row,
  question,
  run: () => notTestable(reason),
});

/** The questions that no request can settle. */
export const untestableProbes: readonly Probe[] = [
  untestable(
    'A-17',
    'which statuses of a payment are final',
    'a payment that does not change now can change later: ask the platform',
  ),
  untestable('A-19', 'which fields of `support.reply` are required', 'a reply would reach a person'),
  untestable(
    'A-21',
    'how an invoice is distinguished from other documents',
    'no endpoint uploads or describes documents: ask the platform',
  ),
  untestable(
    'A-38',
    'whether a document of a payment can be deleted',
    'the payment would lose its invoice: ask the platform',
  ),
  untestable('A-39', 'whether a closed ticket accepts replies', 'a reply would reach a person'),
];
