import type { EndpointName } from '../../contract/endpoints.js';
import { describeType } from '../../contract/validate.js';
import { MockPlatformError } from '../error.js';
import type { RecordedRequest } from '../http/request-log.js';
import type { ExpectedRequest } from './expected-request.js';
import { subjectOf, type MatcherContext, type Subject } from './matcher.js';
import { requestList } from './report.js';
import { describeMissing, search, type Search } from './search.js';

/** A step of `toHaveReceivedInOrder`: an endpoint, or an array of an endpoint and expected fields. */
export type ExpectedStep =
  | EndpointName
  | { readonly [Name in EndpointName]: readonly [endpoint: Name, expected?: ExpectedRequest<Name>] }[EndpointName];

/** The requests that were received in order, and the first step for which there is none. */
interface OrderedSearch {
  readonly subject: Subject;
  readonly steps: readonly ExpectedStep[];
  /** The request of each step, up to the first step without one. */
  readonly found: readonly RecordedRequest[];
  /** The requests to the endpoint of the first step that was not received. */
  readonly missing: Search | undefined;
}

/** Searches for requests in an order. Throws `MockPlatformError` if a step is invalid. */
export function searchInOrder(
  context: MatcherContext,
  platform: unknown,
  steps: readonly ExpectedStep[],
): OrderedSearch {
  const call = 'toHaveReceivedInOrder';
  const subject = subjectOf(call, platform);
  requireSteps(call, steps);
  const searches = steps.map((step) => {
    const [endpoint, expected] = typeof step === 'string' ? [step] : step;
    return search(context, call, platform, endpoint, expected);
  });
  const positions = new Map(subject.requests.map((request, index) => [request, index]));
  const found: RecordedRequest[] = [];
  let last = -1;
  for (const each of searches) {
    const next = each.matching.find((request) => (positions.get(request) ?? -1) > last);
    if (next === undefined) return { subject, steps, found, missing: each };
    found.push(next);
    last = positions.get(next) ?? last;
  }
  return { subject, steps, found, missing: undefined };
}

function requireSteps(call: string, steps: unknown): void {
  if (Array.isArray(steps) && steps.length > 0) return;
  throw new MockPlatformError(
    `${call}: the first argument must be an array of endpoints such as ['payments.create', ['payments.list', { limit: 10 }]] (received ${Array.isArray(steps) ? 'an empty array' : describeType(steps)})`,
  );
}

/** Describes the requests that were received in order, and the first step that was not. */
export function describeOrder(context: MatcherContext, { subject, steps, found, missing }: OrderedSearch): string[] {
  const received = [
    `Received ${found.length} of ${steps.length} requests in order${found.length === 0 ? '.' : ':'}`,
    ...requestList(subject.requests, found),
  ];
  if (missing === undefined) return received;
  const { endpoint, matching } = missing;
  return [
    ...received,
    `Received no matching request to ${endpoint}${found.length === 0 ? '' : ' after these'}.`,
    ...(matching.length === 0
      ? describeMissing(context, missing)
      : ['Received before:', ...requestList(subject.requests, matching)]),
  ];
}
