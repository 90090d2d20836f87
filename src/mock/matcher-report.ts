import type { AskedDifference } from './asked.js';
import type { MockRequest } from './requests.js';

/** How the test runner prints values. */
export interface ValuePrinter {
  /** A value that was expected. */
  printExpected(value: unknown): string;
  /** A value that came. */
  printReceived(value: unknown): string;
}

/** How much of a kind a report lists. */
const longest = 10;

/** A number with its noun: `1 request`, `2 requests`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** A request and what became of it: its number in the log, why it was refused, which fault it met. */
export function requestLines(log: readonly MockRequest[], request: MockRequest): string[] {
  const { method, path, status, refusal, fault, issues } = request;
  const reason = refusal === undefined ? '' : ` ${refusal.code}: ${refusal.message}`;
  const injected = fault === undefined ? '' : ` (fault ${fault})`;
  return [
    `  #${log.indexOf(request) + 1} ${method} ${path} -> ${status ?? 'no answer'}${reason}${injected}`,
    ...issues.map((issue) => `       ${issue.path === '' ? 'the body' : issue.path} ${issue.message}`),
  ];
}

/** Lines of which there may be many: the last ones. */
export function lastLines(lines: readonly string[]): string[] {
  const left = lines.length - longest;
  return left > 0 ? [`  (${left} more before these)`, ...lines.slice(-longest)] : [...lines];
}

/** Several requests with what became of them: the last ones. */
export function requestList(log: readonly MockRequest[], requests: readonly MockRequest[]): string[] {
  const left = requests.length - longest;
  return [...(left > 0 ? [`  (${left} more before these)`] : []), ...requests.slice(-longest).flatMap((request) => requestLines(log, request))];
}

/** Fields that are not as expected. */
export function differenceLines(differences: readonly AskedDifference[], { printExpected, printReceived }: ValuePrinter): string[] {
  return differences.map(({ field, expected, received }) =>
    `       ${field}: expected ${expected === undefined ? 'nothing' : printExpected(expected)}, received ${received === undefined ? 'nothing' : printReceived(received)}`,
  );
}

/** How many requests came instead, by endpoint. */
export function tally(requests: readonly MockRequest[]): string[] {
  if (requests.length === 0) return ['No request came at all.'];
  const counts = new Map<string, number>();
  for (const { endpoint, method, path } of requests) {
    const name = endpoint ?? `${method} ${path}`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return ['What came:', ...lastLines([...counts].map(([name, count]) => `  ${name} (${count})`))];
}
