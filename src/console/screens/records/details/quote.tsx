import type { JSX } from 'preact';
import { Badge } from '../../../components/badge.js';
import { Section, Table } from '../../../components/layout.js';
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
  return (
    <Section title="Price" actions={<QuoteState quote={quote} />}>
      {quote.priceBreakdown !== null && (
        <Table columns={['Price', 'Rule', 'USD']} rows={priceRows(quote.priceBreakdown)} hasNumbers />
      )}
    </Section>
  );
}

function priceRows({ payout, platformFees, partnerFees, funding }: NonNullable<Quote['priceBreakdown']>): string[][] {
  const groups = [
    ['Platform fees', platformFees.lines],
    ['Partner fees', partnerFees.lines],
    ['Funding', funding.lines],
  ] as const;
  const fees = groups.flatMap(([group, lines]) =>
    lines.map(({ name, feeType, feeValue, finalAmountUsd }) => [
      name,
      `${group}, ${feeType === 'PERCENT' ? `${feeValue} %` : 'fixed'}`,
      formatAmount(finalAmountUsd),
    ]),
  );
  return [[payout.label, '', formatAmount(payout.amountUsd)], ...fees];
}
