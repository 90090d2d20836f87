import type { ComponentChildren, JSX } from 'preact';
import type { CustomerActivity } from '../../../contract/schema/customers.js';
import type { FoundRequests } from '../../../mock/control/search.js';
import type {
  MockPayment,
  MockPerson,
  MockQuote,
  MockScenario,
  MockTicket,
  RecordKindName,
  ScheduledEvent,
  StatusChange,
} from '../../../mock/index.js';
import { recordColumns } from '../../../presentation/columns.js';
import { Badge, StatusBadge } from '../../components/badge.js';
import { TextForm } from '../../components/controls.js';
import type { IconName } from '../../components/icons.js';
import type { Fields } from '../../components/json-dialog.js';
import { Empty, Section, Table } from '../../components/layout.js';
import { linkTo } from '../../control/router.js';
import { useClock } from '../../control/use-clock.js';
import { change, useControl } from '../../control/use-control.js';
import { formatSpan, formatTime } from '../../format/text.js';
import { FieldFacts, FieldTable } from './fields.js';

/** What the screen has to know about a kind of records. */
export interface RecordKind {
  /** The name in control calls and in URLs. */
  readonly name: IconName & keyof typeof examples;
  readonly title: string;
  readonly noun: readonly [one: string, many: string];
  /** The paths of the fields in the list; the first one names a record. */
  readonly columns: readonly string[];
  /** What the details show besides the fields. */
  readonly details: (record: Fields) => JSX.Element | null;
  /** The fields that `details` shows. */
  readonly hidden: readonly string[];
}

/** The fields to start from when a record of a kind is added. */
export const examples = {
  payments: [{ amount: '1250.00', currencyCode: 'MXN', status: 'PENDING_REVIEW', internalReference: 'ORDER-1' }],
  quotes: [{ paymentAmount: '1250.00', paymentCurrencyCode: 'MXN' }],
  customers: [{ companyName: 'Acme Ltd', status: 'APPROVED' }],
  beneficiaries: [{ companyName: 'Acme Supplies', currencyCode: 'MXN', status: 'APPROVED' }],
  persons: [{ screening: { subject: { displayName: 'Ada Example' } } }],
  documents: [{ fileName: 'invoice.txt', content: 'Invoice 1' }],
  tickets: [{ subject: 'Where is the payment?', replies: [{ bodyText: 'It arrives tomorrow.' }] }],
} as const satisfies Required<Pick<MockScenario, RecordKindName>>;

/** Returns a kind of records `T`, whose title and nouns are its name. */
const kind = <T,>(
  name: RecordKind['name'],
  columns: readonly string[],
  details: (record: T) => JSX.Element | null = () => null,
  hidden: readonly string[] = [],
): RecordKind => ({
  name,
  columns,
  hidden,
  details: (record) => details(record as T),
  title: `${name.charAt(0).toUpperCase()}${name.slice(1)}`,
  noun: [name.replace(/ies$/, 'y').replace(/s$/, ''), name],
});

const payment = ['amount', 'currencyCode', 'status', 'internalReference'];
const companies = ['customer.companyName', 'beneficiary.companyName'];
const subject = ['displayName', 'paymentHold', 'openMatchCount', 'customerName', 'lastScreenedAt'];
const screening = subject.map((field) => `screening.subject.${field}`);

/** The kinds of records, in the order of the navigation. */
export const recordKinds: readonly RecordKind[] = [
  kind<MockPayment>('payments', ['id', ...payment, ...companies, 'createdAt'], PaymentDetails, ['priceBreakdown']),
  kind<MockQuote>('quotes', recordColumns.quotes, QuotePrice, ['priceBreakdown']),
  kind('customers', recordColumns.customers, CustomerDetails),
  kind('beneficiaries', recordColumns.beneficiaries),
  { ...kind<MockPerson>('persons', screening, PersonDetails, ['openMatches']), title: 'Screening' },
  kind('documents', ['fileName', 'kind', 'customerId', 'createdAt']),
  kind<MockTicket>('tickets', recordColumns.tickets, TicketDetails, ['replies']),
];

/** What happened to a payment, what is scheduled, and its price. */
function PaymentDetails({ id, paymentQuote: quote }: MockPayment): JSX.Element {
  const { data: history = [] } = useControl<readonly StatusChange[]>('payments.history', [id]);
  const { data: scheduled = [] } = useControl<readonly ScheduledEvent[]>('scheduled', [{ id }]);
  const search = [{ quoteId: quote?.id }];
  const { data: creates } = useControl<FoundRequests>(quote === null ? undefined : 'requests.search', search);
  const own = scheduled.find((event) => event.kind === 'transition' && event.of === 'payments');
  const { statuses, state, at = '' } = { ...own } as Partial<Extract<ScheduledEvent, { of: unknown }>>;
  const events: readonly (readonly [at: string, text: ComponentChildren, statuses?: readonly string[] | undefined])[] =
    [
      ...(quote === null ? [] : [[quote.createdAt, 'Quote created'] as const]),
      ...(creates?.records ?? []).map(({ receivedAt, requestId, endpoint, error }) => {
        const request = endpoint === 'payments.create' ? 'Create request' : 'Search after a lost response';
        const text = error === null ? request : `${request}: ${error}`;
        return [new Date(receivedAt).toISOString(), <a href={linkTo('requests', requestId)}>{text}</a>] as const;
      }),
      ...history.map(
        ({ at: time, status }, index) => [time, index === 0 ? 'Payment created' : 'Transition', [status]] as const,
      ),
      ...(own ? [[at, state === 'cancelled' ? 'Schedule canceled' : 'Scheduled', statuses] as const] : []),
    ];
  const rows = events
    .toSorted(([left], [right]) => Date.parse(left) - Date.parse(right))
    .map(([time, text, changes]) => [
      formatTime(time),
      [text, changes?.map((status) => [' ', <StatusBadge key={status} status={status} />])],
    ]);
  return (
    <>
      <Section title="Timeline">
        <Table columns={['Time', 'Event']} rows={rows} />
      </Section>
      {quote !== null && <QuotePrice {...quote} />}
    </>
  );
}

type Quote = Pick<MockQuote, 'priceBreakdown' | 'usedAt' | 'expiresAt'>;

/** The price of a quote, and how long it can still be used. */
function QuotePrice({ priceBreakdown, usedAt, expiresAt }: Quote): JSX.Element {
  const { now = 0 } = useClock();
  const left = Date.parse(expiresAt) - now;
  const state =
    usedAt !== null ? (
      <Badge tone="neutral">Used</Badge>
    ) : left > 0 ? (
      <Badge tone="good">{`${formatSpan(left)} left`}</Badge>
    ) : (
      <Badge tone="bad">Expired</Badge>
    );
  return (
    <Section title="Price" actions={state}>
      {priceBreakdown && (
        <FieldTable columns={['name', 'feeType', 'feeValue', 'finalAmountUsd']} rows={linesOf(priceBreakdown)} />
      )}
    </Section>
  );
}

const linesOf = ({ payout, platformFees, partnerFees, funding }: NonNullable<Quote['priceBreakdown']>): object[] => [
  { name: payout.label, finalAmountUsd: payout.amountUsd },
  ...[platformFees, partnerFees, funding].flatMap(({ lines }) => lines),
];

/** The activity of a customer, and links to the records that belong to it. */
function CustomerDetails({ id }: { readonly id: string }): JSX.Element {
  const { data, error } = useControl<readonly CustomerActivity[]>('customers.activity', [id]);
  return (
    <>
      <Section title="Records of the customer">
        <p class="section-body toolbar">
          {(['payments', 'quotes', 'beneficiaries', 'persons', 'documents'] as const).map((name) => (
            <a key={name} href={linkTo(name, undefined, { customerId: id })}>
              {name}
            </a>
          ))}
        </p>
      </Section>
      <Section title="Activity" count={data?.length}>
        <FieldTable columns={recordColumns.activity} rows={data} error={error} empty="No activity." />
      </Section>
    </>
  );
}

/** The matches of a person, to decide. */
function PersonDetails({ id, screening: { openMatches } }: MockPerson): JSX.Element {
  const clear = (matchId: string, reason: string): Promise<void> =>
    change('persons.clearMatch', [id, matchId, ...(reason === '' ? [] : [{ reason }])], 'Cleared the match.');
  return (
    <Section title="Open matches" count={openMatches.length}>
      {openMatches.length === 0 && <Empty>No open matches.</Empty>}
      {openMatches.map((match) => (
        <div key={match.matchId} class="match">
          <FieldFacts record={{ ...match }} />
          <FieldTable columns={['label', 'matchedValue', 'candidateValue', 'score']} rows={match.features} />
          <TextForm
            label="Reason of the decision"
            submit="Clear match"
            onSubmit={(reason) => clear(match.matchId, reason)}
          />
        </div>
      ))}
    </Section>
  );
}

/** The replies of a ticket, with a form for a reply of the platform. */
function TicketDetails({ id, replies }: MockTicket): JSX.Element {
  return (
    <Section title="Replies" count={replies.length}>
      <FieldTable columns={['createdAt', 'actorEmail', 'bodyText']} rows={replies} empty="No replies yet." />
      <TextForm
        label="Reply as the platform"
        submit="Reply"
        required
        onSubmit={(bodyText) => change('tickets.reply', [id, { bodyText }], 'Replied as the platform.')}
      />
    </Section>
  );
}
