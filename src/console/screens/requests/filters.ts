import type { RequestSummary } from '../../control/records.js';

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

/** Returns the requests that match the filters, newest first. */
export function filterRequests(requests: readonly RequestSummary[], filters: Filters): readonly RequestSummary[] {
  return requests.filter((request) => matchesFilters(request, filters)).toReversed();
}
