import type { JSX } from 'preact';
import type { FoundRequests } from '../../../mock/control/search.js';
import type { MockPayment, MockQuote, ScheduledEvent, StatusChange } from '../../../mock/index.js';
import { Badge, StatusBadge } from '../../components/badge.js';
import { Section, Table } from '../../components/layout.js';
import { linkTo } from '../../control/router.js';
import { useClock } from '../../control/use-clock.js';
import { useControl } from '../../control/use-control.js';
import { formatSpan, formatTime } from '../../format/text.js';
import { FieldFacts, FieldTable } from './fields.js';

/** The receipt of a payment, its timeline, its schedule and its quote. */
export function PaymentDetails({ id, paymentQuote: quote, receiptUrl }: MockPayment): JSX.Element {
  return (
    <>
      {receiptUrl !== null && (
        <a href={linkToReceipt(receiptUrl)} rel="noreferrer" target="_blank">
          Download the receipt
        </a>
      )}
      <Timeline id={id} quote={quote} />
      {quote !== null && (
        <>
          <Section title="Quote">
            <FieldFacts record={{ ...quote }} />
          </Section>
          <QuotePrice {...quote} />
        </>
      )}
    </>
  );
}

/**
 * Returns the link to a receipt of the mock on the page's own origin, because the server knows its own address only.
 */
function linkToReceipt(url: string): string {
  if (!URL.canParse(url)) return url;
  const { pathname, search } = new URL(url);
  return pathname.startsWith('/downloads/') && pathname.includes('/receipts/') ? `${pathname}${search}` : url;
}

type Quote = Pick<MockQuote, 'priceBreakdown' | 'usedAt' | 'expiresAt'>;

/** The time left of a quote, and its price. */
export function QuotePrice({ priceBreakdown, usedAt, expiresAt }: Quote): JSX.Element {
  return (
    <Section title="Price" actions={<QuoteState usedAt={usedAt} expiresAt={expiresAt} />}>
      {priceBreakdown && (
        <FieldTable columns={['name', 'feeType', 'feeValue', 'finalAmountUsd']} rows={linesOf(priceBreakdown)} />
      )}
    </Section>
  );
}

/** Whether a quote can still be used, and how long. */
function QuoteState({ usedAt, expiresAt }: Pick<Quote, 'usedAt' | 'expiresAt'>): JSX.Element | null {
  const { now } = useClock();
  if (usedAt !== null) return <Badge tone="neutral">Used</Badge>;
  if (now === undefined) return null;
  const left = Date.parse(expiresAt) - now;
  return left > 0 ? <Badge tone="good">{`${formatSpan(left)} left`}</Badge> : <Badge tone="bad">Expired</Badge>;
}

const linesOf = ({ payout, platformFees, partnerFees, funding }: NonNullable<Quote['priceBreakdown']>): object[] => [
  { name: payout.label, finalAmountUsd: payout.amountUsd },
  ...[platformFees, partnerFees, funding].flatMap(({ lines }) => lines),
];

/** What happened to a payment, and the transitions that are scheduled. */
function Timeline({ id, quote }: { readonly id: string; readonly quote: MockPayment['paymentQuote'] }): JSX.Element {
  const { data: history = [] } = useControl<readonly StatusChange[]>('payments.history', [id]);
  const { data: scheduled = [] } = useControl<readonly ScheduledEvent[]>('scheduled', [{ id }]);
  const search = [{ quoteId: quote?.id }];
  const { data: creates } = useControl<FoundRequests>(quote === null ? undefined : 'requests.search', search);
  const past: (readonly [at: string, content: JSX.Element | string])[] = [
    ...(quote === null ? [] : [[quote.createdAt, 'Quote created'] as const]),
    ...(creates?.records ?? []).map(({ receivedAt, requestId, endpoint, error }) => {
      const request = endpoint === 'payments.create' ? 'Create request' : 'Search after a lost response';
      const text = error === null ? request : `${request}: ${error}`;
      return [new Date(receivedAt).toISOString(), <a href={linkTo('requests', requestId)}>{text}</a>] as const;
    }),
    ...history.map(
      ({ status, at }, index) =>
        [at, <Statuses text={index === 0 && 'Payment created'} statuses={[status]} />] as const,
    ),
  ];
  const own = scheduled.find((event) => event.kind === 'transition' && event.of === 'payments');
  const { statuses = [], state, at = '' } = { ...own } as Partial<Extract<ScheduledEvent, { of: unknown }>>;
  if (state === 'cancelled') past.push([at, <Statuses text="Schedule canceled:" statuses={statuses} />]);
  const future = (state === 'scheduled' ? statuses : []).map((status, index) => [
    index === 0 ? formatTime(at) : 'later',
    <Statuses text="Scheduled:" statuses={[status]} />,
  ]);
  const rows = past
    .toSorted(([left], [right]) => Date.parse(left) - Date.parse(right))
    .map(([time, content]) => [formatTime(time), content]);
  return (
    <Section title="Timeline">
      <Table columns={['Time', 'Event']} rows={[...rows, ...future]} />
    </Section>
  );
}

interface StatusesProps {
  readonly text: string | false;
  readonly statuses: readonly string[];
}

const Statuses = ({ text, statuses }: StatusesProps): JSX.Element => (
  <>
    {text}{' '}
    {statuses.map((status) => (
      <StatusBadge key={status} status={status} />
    ))}
  </>
);
