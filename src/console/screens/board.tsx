import type { JSX } from 'preact';
import type { Found } from '../../mock/control/search.js';
import type { MockPayment } from '../../mock/index.js';
import { StatusBadge } from '../components/badge.js';
import { Search } from '../components/controls.js';
import { Screen } from '../components/layout.js';
import { useControl, useSearch } from '../control/use-control.js';
import { formatAmount, formatCount, formatTime } from '../format/text.js';
import { linkTo, useRoute } from '../control/router.js';
import type { Transitions } from './records/screen.js';

/** The most cards of a column. */
const limit = 20;

/** The payments of the selected organization by status. */
export function BoardScreen(): JSX.Element {
  const { data: transitions } = useControl<Transitions>('transitions');
  const { data: found } = useControl<Found<MockPayment>>('payments.search', [{ limit: 1 }]);
  // Payments can have other statuses than those that the mock knows.
  const statuses = new Set(Object.keys({ ...transitions?.['payments'], ...found?.values['status'] }));
  return (
    <Screen title="Board" about="The payments by status. To add and change payments, open Payments.">
      <div class="toolbar" role="search">
        <Search label="Filter payments" placeholder="Filter by id, amount, name or reference ( / )" />
      </div>
      <div class="board" role="region" aria-label="Payments by status" tabIndex={0}>
        {[...statuses].map((status) => (
          <BoardColumn key={status} status={status} />
        ))}
      </div>
    </Screen>
  );
}

function BoardColumn({ status }: { readonly status: string }): JSX.Element {
  const { text = '' } = useRoute().query;
  const { data } = useSearch<Found<MockPayment>>('payments.search', { status, text }, limit);
  const { count = 0, records = [] } = data ?? {};
  return (
    <section class="section board-column" aria-label={status}>
      <header class="section-header">
        <StatusBadge status={status} />
        <span class="muted">{data && formatCount(count)}</span>
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
