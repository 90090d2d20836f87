import type { EndpointName } from '../../contract/endpoints.js';
import type { RecordedRequest } from '../http/request-log.js';
import { mismatchesOf, requireExpected, type FieldMismatch } from './expected-request.js';
import { subjectOf, type MatcherContext, type Subject } from './matcher.js';
import { countByEndpoint, mismatchLines, pluralize, requestLines } from './report.js';

/** The requests to an endpoint, by whether they match. */
export interface Search {
  readonly subject: Subject;
  readonly endpoint: EndpointName;
  /** The requests that match. */
  readonly matching: readonly RecordedRequest[];
  /** The requests to the same endpoint that do not match. */
  readonly others: readonly { readonly request: RecordedRequest; readonly mismatches: readonly FieldMismatch[] }[];
}

/** Compares the requests to an endpoint with the expected fields. */
export function search(
  { equals }: MatcherContext,
  call: string,
  platform: unknown,
  endpoint: EndpointName,
  expected: object = {},
): Search {
  const subject = subjectOf(call, platform);
  requireExpected(call, endpoint, expected);
  const compared = subject.requests
    .filter((request) => request.endpoint === endpoint)
    .map((request) => ({ request, mismatches: mismatchesOf(request, expected, equals) }));
  return {
    subject,
    endpoint,
    matching: compared.filter(({ mismatches }) => mismatches.length === 0).map(({ request }) => request),
    others: compared.filter(({ mismatches }) => mismatches.length > 0),
  };
}

/** Describes the number of received requests. */
export function describeReceived(count: number, endpoint: EndpointName | undefined, expected?: object): string {
  return `Received ${pluralize(count, 'request')}${endpoint === undefined ? '' : ` to ${endpoint}`}${expected === undefined ? '' : ' with the expected fields'}`;
}

/** Describes the closest request: the one with the fewest mismatches, and the last one of these. */
export function describeMissing({ utils }: MatcherContext, { subject, endpoint, matching, others }: Search): string[] {
  const [closest] = others.toReversed().toSorted((left, right) => left.mismatches.length - right.mismatches.length);
  if (closest === undefined)
    return matching.length > 0 ? [] : [`Received no request to ${endpoint}.`, ...countByEndpoint(subject.requests)];
  return [
    `${pluralize(others.length, 'request')} to ${endpoint} did not match. The closest one:`,
    ...requestLines(subject.requests, closest.request),
    ...mismatchLines(closest.mismatches, utils),
  ];
}
