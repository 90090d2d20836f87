import type { Trace } from './trace.ts';

/** The promises of docs/following-payments.md about `payments.changes`, and what is said when one is broken. */
const changes = {
  start: 'Without `since`, payments that existed more than a few seconds before are not yielded as new',
  since: 'With a time, the payments created since then are yielded, oldest first, and no earlier ones as new',
  once: 'Within one loop, each change is yielded once, and starts at the status with which the previous one ended',
  order: 'A status that is out of order, as an earlier response shows it, is not yielded',
  complete: 'No final status is missed if polls fail, pages shift or processes restart, and no payment is lost',
  job: 'A run with `once` that is not behind has reported everything that had changed when it started',
  behind: '`behind` is false after changes have been quiet for a while',
  errors: 'Only rejections, unusable responses and lists without an end end the loop with an error',
  endless: 'A list that never ends ends the loop at once',
  ends: 'A loop ends at once when it is returned or its signal aborts, and never by itself unless `once` is set',
  organization:
    'The key of another organization throws a ConfigurationError before anything is yielded; a rotated key continues',
} as const;

/** The promises of docs/export.md about `payments.export`. */
const exports = {
  eachOnce: 'Each payment is exported once, also if it continues after a crash or from an older checkpoint',
  all: 'All payments that the platform lists in the range are exported',
  within: 'No payment outside of the range, or that never had the status, is exported',
  created: '`order: created` yields payments in the order of their creation',
  failure: 'An export fails only because of responses that it cannot use, and continues from its last checkpoint',
  bounded: 'A list that never ends ends an export with an error',
  foreign:
    'The key of another organization throws a ConfigurationError before anything is yielded; a rotated key continues',
} as const;

const promises = { changes, export: exports } as const;

/** Returns a function that reports a broken promise of a method. */
export function promisesOf<Method extends keyof typeof promises>(
  method: Method,
  trace: Trace,
): (promise: keyof (typeof promises)[Method], details: string) => void {
  const texts: Readonly<Record<string, string>> = promises[method];
  return (promise, details) => trace.fail(`${method}: ${texts[String(promise)]}: ${details}`);
}
