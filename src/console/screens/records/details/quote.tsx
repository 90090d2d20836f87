import type { JSX } from 'preact';
import { Badge } from '../../../components/badge.js';
import { Section } from '../../../components/layout.js';
import type { MockPayment } from '../../../control/records.js';
import { useClock } from '../../../control/use-clock.js';
import { formatAmount, formatSpan } from '../../../format/text.js';

type Quote = NonNullable<MockPayment['paymentQuote']>;

/** Whether a quote can still be used, and how long. */
function QuoteState({ quote: { usedAt, expiresAt } }: { readonly quote: Quote }): JSX.Element {
  const { now } = useClock();
  if (usedAt !== null) return <Badge tone="neutral">Used</Badge>;
  const left = Date.parse(expiresAt) - (now ?? 0);
  if (now === undefined) return <Badge tone="neutral">…</Badge>;
  return left <= 0 ? <Badge tone="bad">Expired</Badge> : <Badge tone="good">{`${formatSpan(left)} left`}</Badge>;
}

/** The time left of a quote, and its price. */
export function QuotePrice({ quote }: { readonly quote: Quote }): JSX.Element {
  const price = quote.priceBreakdown;
  const groups =
    price === null
      ? []
      : ([
          ['Platform fees', price.platformFees.lines],
          ['Partner fees', price.partnerFees.lines],
          ['Funding', price.funding.lines],
        ] as const);
  return (
    <Section title="Price" actions={<QuoteState quote={quote} />}>
      {price !== null && (
        <div class="table-scroll">
          <table class="table">
            <thead>
              <tr>
                <th scope="col">Price</th>
                <th scope="col">Rule</th>
                <th scope="col" class="number">
                  USD
                </th>
              </tr>
            </thead>
            <tbody>
              <tr>
                <td>{price.payout.label}</td>
                <td />
                <td class="number">{formatAmount(price.payout.amountUsd)}</td>
              </tr>
              {groups.flatMap(([group, lines]) =>
                lines.map((line, index) => (
                  <tr key={`${group} ${index}`}>
                    <td>{line.name}</td>
                    <td class="muted">
                      {group}, {line.feeType === 'PERCENT' ? `${line.feeValue} %` : 'fixed'}
                    </td>
                    <td class="number">{formatAmount(line.finalAmountUsd)}</td>
                  </tr>
                )),
              )}
            </tbody>
          </table>
        </div>
      )}
    </Section>
  );
}
