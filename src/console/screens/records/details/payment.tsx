import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { StatusBadge } from '../../components/badge.js';
import { Button, Select } from '../../components/controls.js';
import { Icon } from '../../components/icons.js';
import { JsonView } from '../../components/json-view.js';
import { Facts, Pending, Section } from '../../components/layout.js';
import type { MockDocument, MockPayment, Transitions } from '../../control/records.js';
import { change, useControl, useRecord } from '../../control/use-control.js';
import { formatAmount, formatStatus, formatTime } from '../../format/text.js';
import { linkTo } from '../../router.js';
import { PaymentTimeline } from './timeline.js';
import { QuoteDetails } from './quote-details.js';
import { TransitionButtons } from '../../components/transition-buttons.js';
import { shortestPath } from './transitions.js';

/** A payment with all that belongs to it. */
export function PaymentPage({ id }: { readonly id: string }): JSX.Element {
  const { data, error } = useRecord<MockPayment>('payments', id);
  if (data === undefined || data === null)
    return (
      <div class="screen">
        <BackToPayments />
        <Pending error={data === null ? new Error(`There is no payment ${id} in this organization.`) : error} />
      </div>
    );
  return (
    <div class="screen">
      <BackToPayments />
      <div class="screen-header">
        <h1>{formatAmount(data.amount, data.currencyCode)}</h1>
        <StatusBadge status={data.status} />
        <span class="muted mono">{data.id}</span>
        <div class="actions">
          <TransitionButtons kind="payments" id={id} status={data.status} />
        </div>
      </div>
      <div class="columns">
        <div class="column">
          <Section title="Payment">
            <Facts facts={factsOf(data)} />
          </Section>
          {data.paymentQuote !== null && <QuoteDetails quote={data.paymentQuote} />}
          <Documents ids={data.documentIds} />
          <Section title="Authorization">
            <JsonView label="Fields of the authorization" value={data.authorization} />
          </Section>
        </div>
        <div class="column">
          <Section title="Timeline">
            <PaymentTimeline payment={data} />
          </Section>
          <ScheduleForm payment={data} />
        </div>
      </div>
    </div>
  );
}

function BackToPayments(): JSX.Element {
  return (
    <a class="crumb" href={linkTo('payments')}>
      <Icon name="back" />
      Payments
    </a>
  );
}

/** Returns the link to a receipt of the mock on the page's own origin, because the server knows its own address only. */
function linkToReceipt(url: string): string {
  if (!URL.canParse(url)) return url;
  const { pathname, search } = new URL(url);
  return pathname.startsWith('/downloads/') && pathname.includes('/receipts/') ? `${pathname}${search}` : url;
}

function factsOf(payment: MockPayment): (readonly [string, JSX.Element | string | null])[] {
  const { sourceFunding: funding, rail } = payment;
  const source = funding === null ? null : ({ ...funding } as Readonly<Record<string, unknown>>);
  return [
    ['Customer', <a href={linkTo('customers', payment.customerId)}>{payment.customer.companyName}</a>],
    ['Beneficiary', <a href={linkTo('beneficiaries', payment.beneficiaryId)}>{payment.beneficiary.companyName}</a>],
    ['Purpose', payment.purposeOfPayment],
    ['Internal reference', payment.internalReference],
    ['Invoice number', payment.invoiceNumber],
    ['Memo', payment.memo],
    ['Rail', rail === null ? null : `${rail.method}, ${rail.countryCode}`],
    [
      'Funding',
      source === null
        ? null
        : [source['type'], source['symbol'] ?? source['bankName'], source['fundingStatus']].filter(Boolean).join(' · '),
    ],
    ['Created', `${formatTime(payment.createdAt)} UTC`],
    ['Created by', payment.requested ? 'a request' : 'the test'],
    [
      'Receipt',
      payment.receiptUrl === null ? null : (
        <a href={linkToReceipt(payment.receiptUrl)} rel="noreferrer" target="_blank">
          Download
        </a>
      ),
    ],
  ];
}

function Documents({ ids }: { readonly ids: readonly string[] }): JSX.Element {
  return (
    <Section title="Documents" count={ids.length}>
      <ul class="rows">
        {ids.map((id) => (
          <DocumentRow key={id} id={id} />
        ))}
      </ul>
    </Section>
  );
}

function DocumentRow({ id }: { readonly id: string }): JSX.Element {
  const { data } = useRecord<MockDocument>('documents', id);
  return (
    <li>
      <span class="grow">{data?.fileName ?? id}</span>
      <span class="muted">{data === null ? 'deleted' : data?.kind}</span>
      <span class="muted mono">{id}</span>
    </li>
  );
}

const triggers = {
  'every minute': { every: { minutes: 1 } },
  'every hour': { every: { hours: 1 } },
  'every day': { every: { days: 1 } },
  'each time it is listed': { reads: 1 },
} as const;

function ScheduleForm({ payment }: { readonly payment: MockPayment }): JSX.Element | null {
  const { data } = useControl<Transitions>('transitions', [], 'platform');
  const [target, setTarget] = useState('COMPLETED');
  const [trigger, setTrigger] = useState<string>('every hour');
  const rows = data?.['payments'] ?? {};
  const targets = Object.keys(rows).filter((status) => (shortestPath(rows, payment.status, status)?.length ?? 0) > 0);
  if (targets.length === 0) return null;
  const goal = targets.includes(target) ? target : (targets[0] ?? '');
  const steps = shortestPath(rows, payment.status, goal) ?? [];
  return (
    <Section title="Schedule">
      <div class="section-body column">
        <div class="form">
          <Select
            label="The way to"
            value={goal}
            onChange={setTarget}
            options={targets.map((status) => [status, formatStatus(status)])}
          />
          <Select label="One step" value={trigger} onChange={setTrigger} options={Object.keys(triggers)} />
        </div>
        <p class="muted">{[payment.status, ...steps].map(formatStatus).join(' → ')}</p>
        <div class="actions">
          <Button
            kind="primary"
            onClick={() =>
              change(
                'payments.scheduleTransitions',
                [payment.id, steps, triggers[trigger as keyof typeof triggers]],
                'Scheduled the transitions. Advance the clock to see them.',
              )
            }
          >
            Schedule the way to {formatStatus(goal).toLowerCase()}
          </Button>
          <Button
            onClick={() =>
              change('payments.scheduleTransitions', [payment.id, [], { reads: 1 }], 'Canceled the schedule.')
            }
          >
            Cancel the schedule
          </Button>
        </div>
      </div>
    </Section>
  );
}
