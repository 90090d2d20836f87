import type { RequestSummary } from '../../control/records.js';
import { storiesOf, type Story } from './stories.js';

/** A row of the list: a request, a story, or a request of a story that is expanded. */
export type Row =
  | { readonly kind: 'request'; readonly request: RequestSummary }
  | { readonly kind: 'story'; readonly request: RequestSummary; readonly story: Story }
  | { readonly kind: 'attempt'; readonly request: RequestSummary };

/** The filters of the list. */
export interface Filters {
  readonly text: string;
  readonly outcome: string;
  readonly endpoint: string;
}

/** Returns whether a request matches the filters. */
function matchesFilters(request: RequestSummary, { text, outcome, endpoint }: Filters): boolean {
  if (endpoint !== '' && request.endpoint !== endpoint) return false;
  if (outcome === 'errors' && request.error === null) return false;
  if (outcome === 'faults' && request.fault === null) return false;
  if (outcome === 'succeeded' && (request.error !== null || request.fault !== null)) return false;
  if (text === '') return true;
  const { method, path, status, error, fault, requestId, quoteId } = request;
  const searched = [method, path, request.endpoint, status, error?.code, error?.message, fault, requestId, quoteId];
  return searched.join(' ').toLowerCase().includes(text.toLowerCase());
}

/** Returns the rows, newest first. A story has one row, at the place of its last request, and its requests if it is expanded. */
export function rowsOf(
  requests: readonly RequestSummary[],
  filters: Filters,
  expanded: ReadonlySet<string>,
): readonly Row[] {
  const stories = storiesOf(requests);
  const matching = new Set(
    requests.filter((request) => matchesFilters(request, filters)).map(({ sequence }) => sequence),
  );
  const rows: Row[] = [];
  for (const request of requests.toReversed()) {
    const story = stories.get(request.sequence);
    if (story === undefined) {
      if (matching.has(request.sequence)) rows.push({ kind: 'request', request });
      continue;
    }
    const isLast = story.requests.at(-1)?.sequence === request.sequence;
    if (!isLast || !story.requests.some(({ sequence }) => matching.has(sequence))) continue;
    rows.push({ kind: 'story', request, story });
    if (expanded.has(story.quoteId))
      rows.push(...story.requests.toReversed().map((each): Row => ({ kind: 'attempt', request: each })));
  }
  return rows;
}
