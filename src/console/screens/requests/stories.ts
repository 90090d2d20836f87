import type { RequestSummary } from '../../control/records.js';

/** The attempts to create one payment, with the searches between them, oldest first. */
export interface Story {
  /** The quote that all attempts have in common. */
  readonly quoteId: string;
  readonly requests: readonly RequestSummary[];
}

/** Whether the client cannot know from the response that the payment was created or rejected. */
const isInconclusive = ({ status, delivery, error, fault }: RequestSummary): boolean =>
  status === null ||
  (delivery !== null && delivery !== 'slow' && delivery !== 'drip') ||
  (error?.status ?? 0) >= 500 ||
  fault === 'html' ||
  fault === 'malformed-json';

/** Whether a request is a search of `createOnce` or `reconcile` for a payment. */
const isLookUp = ({ endpoint, filters }: RequestSummary): boolean =>
  endpoint === 'payments.list' &&
  filters['limit'] === 100 &&
  filters['createdFrom'] !== undefined &&
  Object.keys(filters).every((name) => lookUpFilters.has(name));

const lookUpFilters: ReadonlySet<string> = new Set(['createdFrom', 'createdTo', 'limit', 'cursor']);

/** How long before the creation a look-up starts. */
const margin = 5 * 60_000;
/** The most that clocks may differ, and the most that look-ups reach further back as time passes. */
const day = 24 * 60 * 60_000;
/** A smaller difference between two clocks is not significant. */
const tolerance = 2_000;
/** The most unresolved creations of an organization that a look-up is compared with. */
const maxUnresolved = 100;

/**
 * Returns the times that a look-up may start from when it does not reach further back: some look-ups reach as far back
 * again as the creation is old.
 */
function startsOf({ receivedAt, filters }: RequestSummary, created: number): readonly number[] {
  const from = Date.parse(String(filters['createdFrom']));
  return [from, from + Math.min(Math.max(0, receivedAt - created), day)];
}

/** Returns the unresolved creation, as its requests, that a look-up belongs to. */
function creationOf(unresolved: readonly RequestSummary[][], lookUp: RequestSummary): RequestSummary[] | undefined {
  const candidates = unresolved.flatMap((requests) => {
    const created = requests[0]?.receivedAt ?? 0;
    const first = requests.find(({ quoteId }) => quoteId === null);
    const starts = startsOf(lookUp, created);
    const expected = first === undefined ? [created - margin] : startsOf(first, created);
    const distance = Math.min(...starts.flatMap((start) => expected.map((other) => Math.abs(start - other))));
    const isPossible = (starts[0] ?? 0) <= created && distance <= (first === undefined ? day : tolerance);
    return isPossible ? [{ requests, created, distance }] : [];
  });
  const [closest] = candidates.toSorted((left, right) => left.distance - right.distance);
  // Look-ups for creations of the same time do not differ: each creation has its share of them.
  return candidates
    .filter(({ created }) => Math.abs(created - (closest?.created ?? 0)) <= tolerance)
    .toSorted((left, right) => left.requests.length - right.requests.length)[0]?.requests;
}

/**
 * Groups the requests that belong to the creation of one payment: all creates with the same quote, and the searches of
 * the same organization after a create whose result the client did not learn. Returns only groups of several requests,
 * by the sequence number of each request.
 */
export function storiesOf(requests: readonly RequestSummary[]): ReadonlyMap<number, Story> {
  const groups = new Map<string, RequestSummary[]>();
  const unresolved = new Map<string, RequestSummary[][]>();
  for (const request of requests) {
    const { quoteId, organization } = request;
    const owner = organization ?? '';
    const open = unresolved.get(owner) ?? [];
    if (quoteId === null) {
      if (isLookUp(request)) creationOf(open, request)?.push(request);
      continue;
    }
    const group = groups.get(`${owner}/${quoteId}`) ?? [];
    groups.set(`${owner}/${quoteId}`, group);
    group.push(request);
    const others = open.filter((each) => each !== group);
    unresolved.set(owner, isInconclusive(request) ? [...others, group].slice(-maxUnresolved) : others);
  }
  const stories = [...groups.values()].filter((group) => group.length > 1);
  return new Map(
    stories.flatMap((group) => {
      const story = { quoteId: group[0]?.quoteId ?? '', requests: group };
      return group.map((request) => [request.sequence, story] as const);
    }),
  );
}

/** Describes a story: `3 attempts, 2 look-ups`. */
export function describeStory({ requests }: Story): string {
  const attempts = requests.filter(({ quoteId }) => quoteId !== null).length;
  const lookUps = requests.length - attempts;
  return [
    attempts === 1 ? '1 attempt' : `${attempts} attempts`,
    ...(lookUps === 0 ? [] : [lookUps === 1 ? '1 look-up' : `${lookUps} look-ups`]),
  ].join(', ');
}

/** Returns the request that decided a story: the create that was stored, or else the last request. */
export function decisiveRequest({ requests }: Story): RequestSummary | undefined {
  return requests.find(({ quoteId, error }) => quoteId !== null && error === null) ?? requests.at(-1);
}
