import type { JSX } from 'preact';
import { Badge, toneOfHttp } from '../../components/badge.js';
import type { RequestSummary } from '../../control/records.js';

const lost: Readonly<Record<string, string>> = {
  reset: 'connection reset',
  hang: 'no response',
  cut: 'body cut off',
  stall: 'body stalled',
};

/** Returns how the response was lost on its way; undefined if the client received all of it. */
export const describeLoss = (delivery: string | null): string | undefined => lost[delivery ?? ''];

/** The status that the client received. */
export function HttpStatus({
  request,
}: {
  readonly request: Pick<RequestSummary, 'status' | 'delivery'>;
}): JSX.Element {
  const loss = describeLoss(request.delivery);
  if (loss !== undefined && (request.delivery === 'reset' || request.delivery === 'hang'))
    return <Badge tone="fault">{request.delivery}</Badge>;
  return <Badge tone={toneOfHttp(request.status)}>{request.status === null ? '–' : String(request.status)}</Badge>;
}

/** The error code and the fault of a request. */
export function Outcome({ request }: { readonly request: RequestSummary }): JSX.Element {
  return (
    <>
      {request.fault !== null && (
        <>
          <Badge tone="fault">{request.fault}</Badge>{' '}
        </>
      )}
      {request.error !== null && <span class="muted">{request.error.code}</span>}
    </>
  );
}
