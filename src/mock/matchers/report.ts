import type { FieldMismatch } from './expected-request.js';
import type { PlannedFault } from '../faults/planned-fault.js';
import type { RecordedRequest } from '../http/request-log.js';

/** The functions of the test runner that format values. */
export interface ValuePrinter {
  /** Formats an expected value. */
  printExpected(value: unknown): string;
  /** Formats a received value. */
  printReceived(value: unknown): string;
}

/** The largest number of requests or records that a report lists. */
const maxListed = 10;

/** Formats a number with its noun: `1 request`, `2 requests`. */
export function pluralize(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** Formats a request: its number in the log, the response status, the error, and the fault that was injected. */
export function requestLines(log: readonly RecordedRequest[], request: RecordedRequest): string[] {
  const { method, path, status, error, fault, issues } = request;
  const reason = error === undefined ? '' : ` ${error.code}: ${error.message}`;
  const injected = fault === undefined ? '' : ` (fault ${fault})`;
  return [
    `  #${log.indexOf(request) + 1} ${method} ${path} -> ${status ?? 'no response'}${reason}${injected}`,
    ...issues.map((issue) => `       ${issue.path === '' ? 'the body' : issue.path} ${issue.message}`),
  ];
}

/** Returns the last lines, with a note about the omitted ones. */
export function lastLines(lines: readonly string[]): string[] {
  const omitted = lines.length - maxListed;
  return omitted > 0 ? [`  (${omitted} more before these)`, ...lines.slice(-maxListed)] : [...lines];
}

/** Formats the last requests, with a note about the omitted ones. */
export function requestList(log: readonly RecordedRequest[], requests: readonly RecordedRequest[]): string[] {
  const omitted = requests.length - maxListed;
  return [
    ...(omitted > 0 ? [`  (${omitted} more before these)`] : []),
    ...requests.slice(-maxListed).flatMap((request) => requestLines(log, request)),
  ];
}

/** Formats fields that do not match. */
export function mismatchLines(
  mismatches: readonly FieldMismatch[],
  { printExpected, printReceived }: ValuePrinter,
): string[] {
  return mismatches.map(
    ({ field, expected, received }) =>
      `       ${field}: expected ${expected === undefined ? 'nothing' : printExpected(expected)}, received ${received === undefined ? 'nothing' : printReceived(received)}`,
  );
}

/** Formats the number of received requests by endpoint. */
export function countByEndpoint(requests: readonly RecordedRequest[]): string[] {
  if (requests.length === 0) return ['Received no requests at all.'];
  const counts = new Map<string, number>();
  for (const { endpoint, method, path } of requests) {
    const name = endpoint ?? `${method} ${path}`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return ['Received instead:', ...lastLines([...counts].map(([name, count]) => `  ${name} (${count})`))];
}

/** Formats a fault with its organization, its condition and its hits. */
export function faultLine(planned: PlannedFault & { readonly organization: string }): string {
  const { id, endpoint, fault, when, remaining, hits, organization } = planned;
  const condition =
    when === undefined ? '' : ` when ${typeof when === 'function' ? 'a function' : JSON.stringify(when)}`;
  const left = remaining === null ? '' : `, ${remaining} remaining`;
  const kind = fault === 'ok' ? fault : JSON.stringify(fault);
  return `  ${id} of ${organization}: ${endpoint}${condition} ${kind} (${pluralize(hits, 'hit')}${left})`;
}
