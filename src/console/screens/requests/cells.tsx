import type { ComponentChildren, JSX } from 'preact';
import type { RequestSummary } from '../../../mock/control/search.js';
import { Badge, toneOfHttp } from '../../components/badge.js';
import { formatDuration, formatTime, formatTimeOfDay } from '../../format/text.js';

/** The status that the client received, or how the response was lost. */
export const HttpStatus = ({ status }: { readonly status: string }): JSX.Element => (
  <Badge tone={toneOfHttp(status)}>{status}</Badge>
);

/** The columns of a list of requests. */
export const columns = ['Endpoint', 'Status', 'Fault, error', 'Time', 'Duration'] as const;

/** Returns the cells of a request. Its time has the date below: a test moves the clock by days. */
export function cellsOf(request: RequestSummary): readonly ComponentChildren[] {
  const { endpoint, method, path, status, receivedAt, fault, error, duration } = request;
  return [
    <>
      {endpoint ?? 'No endpoint'} <small class="mono">{`${method} ${path}`}</small>
    </>,
    <HttpStatus status={status} />,
    <>
      {fault !== null && <Badge tone="fault">{fault}</Badge>} <span class="muted">{error}</span>
    </>,
    <span class="mono">
      {formatTimeOfDay(receivedAt)} <small>{formatTime(receivedAt).slice(0, 10)}</small>
    </span>,
    formatDuration(duration),
  ];
}
