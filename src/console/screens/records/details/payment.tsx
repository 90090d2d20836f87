import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Button, Select } from '../../../components/controls.js';
import { Section } from '../../../components/layout.js';
import type { MockPayment, Transitions } from '../../../control/records.js';
import { change, useControl } from '../../../control/use-control.js';
import { formatStatus } from '../../../format/text.js';
import { FieldFacts } from '../fields.js';
import { QuotePrice } from './quote.js';
import { shortestPath } from './shortest-path.js';
import { PaymentTimeline } from './timeline.js';

/** The timeline of a payment, its schedule and its quote. */
export function PaymentDetails({ payment }: { readonly payment: MockPayment }): JSX.Element {
  const { paymentQuote: quote, receiptUrl } = payment;
  return (
    <>
      {receiptUrl !== null && (
        <a href={linkToReceipt(receiptUrl)} rel="noreferrer" target="_blank">
          Download the receipt
        </a>
      )}
      <Section title="Timeline">
        <PaymentTimeline payment={payment} />
      </Section>
      <ScheduleForm payment={payment} />
      {quote !== null && (
        <>
          <Section title="Quote">
            <FieldFacts record={{ ...quote }} />
          </Section>
          <QuotePrice quote={quote} />
        </>
      )}
    </>
  );
}

/** Returns the link to a receipt of the mock on the page's own origin, because the server knows its own address only. */
function linkToReceipt(url: string): string {
  if (!URL.canParse(url)) return url;
  const { pathname, search } = new URL(url);
  return pathname.startsWith('/downloads/') && pathname.includes('/receipts/') ? `${pathname}${search}` : url;
}

const triggers = {
  'every minute': { every: { minutes: 1 } },
  'every hour': { every: { hours: 1 } },
  'every day': { every: { days: 1 } },
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
              change('payments.scheduleTransitions', [payment.id, [], triggers['every hour']], 'Canceled the schedule.')
            }
          >
            Cancel the schedule
          </Button>
        </div>
      </div>
    </Section>
  );
}
