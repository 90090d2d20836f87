import type { JSX } from 'preact';
import { StatusBadge } from '../../components/badge.js';
import type { MockPayment } from '../../control/records.js';
import { formatAmount, formatTime } from '../../format/text.js';
import { linkTo } from '../../router.js';

/** The most cards of a column. */
const maxCards = 20;

/** Payments by status. */
export function Board({
  payments,
  statuses,
}: {
  readonly payments: readonly MockPayment[];
  readonly statuses: readonly string[];
}): JSX.Element {
  return (
    <div class="board" role="region" aria-label="Payments by status" tabIndex={0}>
      {statuses.map((status) => {
        const matching = payments.filter((payment) => payment.status === status);
        return (
          <section class="board-column" key={status} aria-label={status}>
            <header>
              <StatusBadge status={status} />
              <span class="muted">{matching.length}</span>
            </header>
            <ol tabIndex={0} aria-label={`${status}, payments`}>
              {matching.slice(0, maxCards).map((payment) => (
                <li key={payment.id}>
                  <a class="card" href={linkTo('payments', payment.id)}>
                    <strong>{formatAmount(payment.amount, payment.currencyCode)}</strong>
                    <span>{payment.beneficiary.companyName}</span>
                    <span>from {payment.customer.companyName}</span>
                    <span class="mono">{formatTime(payment.updatedAt)}</span>
                  </a>
                </li>
              ))}
              {matching.length > maxCards && (
                <li class="muted">and {matching.length - maxCards} more: see the table</li>
              )}
            </ol>
          </section>
        );
      })}
    </div>
  );
}
