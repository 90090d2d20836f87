import type { JSX } from 'preact';
import { StatusBadge } from '../components/badge.js';
import { Input } from '../components/controls.js';
import type { FoundRecords, MockPayment, Transitions } from '../control/records.js';
import { useControl, useLast } from '../control/use-control.js';
import { formatAmount, formatCount, formatTime } from '../format/text.js';
import { changeQuery, linkTo, useRoute } from '../control/router.js';

/** The most cards of a column. */
const limit = 20;

/** The payments of the selected organization by status. */
export function BoardScreen(): JSX.Element {
  const { text = '' } = useRoute().query;
  const { data: transitions } = useControl<Transitions>('transitions', [], 'platform');
  return (
    <div class="screen">
      <div class="screen-header">
        <h1>Board</h1>
        <p>The payments by status. Filters, and forms to add and change payments, are under Payments.</p>
      </div>
      <div class="toolbar" role="search">
        <div class="grow">
          <Input
            label="Filter payments"
            hideLabel
            placeholder="Filter by id, amount, name or reference"
            value={text}
            onInput={(next) => changeQuery({ text: next })}
          />
        </div>
      </div>
      <div class="board" role="region" aria-label="Payments by status" tabIndex={0}>
        {Object.keys(transitions?.['payments'] ?? {}).map((status) => (
          <BoardColumn key={status} status={status} text={text} />
        ))}
      </div>
    </div>
  );
}

function BoardColumn({ status, text }: { readonly status: string; readonly text: string }): JSX.Element {
  const found = useLast(useControl<FoundRecords<MockPayment>>('payments.search', [{ status, text, limit }]));
  const { count = 0, records = [] } = found ?? {};
  return (
    <section class="section board-column" aria-label={status}>
      <header class="section-header">
        <StatusBadge status={status} />
        <span class="muted">{found && formatCount(count)}</span>
      </header>
      <ol tabIndex={0} aria-label={`${status}, payments`}>
        {records.map((payment) => (
          <li key={payment.id}>
            <a class="card" href={linkTo('payments', payment.id)}>
              <strong>{formatAmount(payment.amount, payment.currencyCode)}</strong>
              <span>{payment.beneficiary.companyName}</span>
              <span>from {payment.customer.companyName}</span>
              <span class="mono">{formatTime(payment.updatedAt)}</span>
            </a>
          </li>
        ))}
        {count > records.length && (
          <li>
            <a href={linkTo('payments', undefined, { status, text })}>and {formatCount(count - records.length)} more</a>
          </li>
        )}
      </ol>
    </section>
  );
}
