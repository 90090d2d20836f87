import type { JSX } from 'preact';
import { StatusBadge } from '../../../components/badge.js';
import { Timeline, type TimelineEntry } from '../../../components/layout.js';
import type { FoundRequests, MockPayment, ScheduledEvent, StatusChange } from '../../../control/records.js';
import { useControl } from '../../../control/use-control.js';
import { formatTime } from '../../../format/text.js';
import { linkTo } from '../../../control/router.js';

/** What happened to a payment, and the transitions that are scheduled. */
export function PaymentTimeline({ payment }: { readonly payment: MockPayment }): JSX.Element {
  const { data: history = [] } = useControl<readonly StatusChange[]>('payments.history', [payment.id]);
  const { data: scheduled = [] } = useControl<readonly ScheduledEvent[]>('scheduled', [{ id: payment.id }]);
  const quote = payment.paymentQuote;
  const { data: creates } = useControl<FoundRequests>(
    quote === null ? undefined : 'requests.search',
    [{ quoteId: quote?.id }],
    'platform',
  );
  const past: TimelineEntry[] = [
    ...(quote === null ? [] : [{ at: quote.createdAt, content: 'Quote created' }]),
    ...(creates?.requests ?? []).map((request) => ({
      at: new Date(request.receivedAt).toISOString(),
      content: (
        <a href={linkTo('requests', request.requestId)}>
          {request.error === null ? 'Create request' : `Create request: ${request.error.code}`}
        </a>
      ),
    })),
    ...history.map(({ status, at }, index) => ({
      at,
      content:
        index === 0 ? (
          <>
            Payment created <StatusBadge status={status} />
          </>
        ) : (
          <StatusBadge status={status} />
        ),
    })),
  ];
  const [own] = scheduled.flatMap((event) => (event.kind === 'transition' && event.of === 'payments' ? [event] : []));
  if (own?.state === 'cancelled')
    past.push({
      at: own.at ?? '',
      content: (
        <>
          Schedule canceled:{' '}
          {own.statuses.map((status) => (
            <StatusBadge key={status} status={status} />
          ))}
        </>
      ),
    });
  const next = own?.state === 'scheduled' ? own : undefined;
  const future = (next?.statuses ?? []).map((status, index) => ({
    at: index > 0 ? 'later' : formatTime(next?.at ?? ''),
    content: (
      <>
        Scheduled: <StatusBadge status={status} />
      </>
    ),
    isFuture: true,
  }));
  const entries = past
    .toSorted((left, right) => Date.parse(left.at) - Date.parse(right.at))
    .map((entry) => ({ ...entry, at: formatTime(entry.at) }));
  return <Timeline entries={[...entries, ...future]} />;
}
