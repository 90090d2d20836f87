import type { JSX } from 'preact';
import type { RequestSummary } from '../../../mock/control/search.js';
import { Badge, toneOfHttp } from '../../components/badge.js';
import { formatTime, formatTimeOfDay } from '../../format/text.js';

const lost: Readonly<Record<string, string>> = {
  reset: 'connection reset',
  hang: 'no response',
  cut: 'body cut off',
  stall: 'body stalled',
};

/** Returns how the response was lost on its way; undefined if the client received all of it. */
export const describeLoss = (delivery: string | null): string | undefined => lost[delivery ?? ''];

/** The status that the client received, or how the response was lost. */
export const HttpStatus = ({ status }: { readonly status: string }): JSX.Element => (
  <Badge tone={toneOfHttp(status)}>{status}</Badge>
);

/** A time of day, with its date below: a test moves the clock by days. */
export const TimeAndDate = ({ at }: { readonly at: number }): JSX.Element => (
  <>
    {formatTimeOfDay(at)} <small>{formatTime(at).slice(0, 10)}</small>
  </>
);

/** The fault and the error code of a request. */
export const Outcome = ({ fault, error }: Pick<RequestSummary, 'fault' | 'error'>): JSX.Element => (
  <>
    {fault !== null && <Badge tone="fault">{fault}</Badge>} <span class="muted">{error}</span>
  </>
);
