import type { JSX } from 'preact';
import { Button } from '../../components/controls.js';
import { Empty, Panel, Pending } from '../../components/layout.js';
import { RecordCount } from '../../components/record-count.js';
import { VirtualList, type Column } from '../../components/virtual-list.js';
import type { MockQuote } from '../../control/records.js';
import { change, useNewestRecords, useRecord } from '../../control/use-control.js';
import { formatAmount, formatTime } from '../../format/text.js';
import { linkTo, navigate, useRoute } from '../../router.js';
import { useClock } from '../../control/use-clock.js';
import { QuoteDetails, quoteState } from './quote-details.js';

const columns: readonly Column[] = [
  { title: 'Amount', width: 'minmax(110px, 1.2fr)' },
  { title: 'Time left', width: '124px' },
  { title: 'Funding', width: 'minmax(100px, 1fr)', from: 560 },
  { title: 'Quote', width: 'minmax(140px, 1.4fr)', from: 760 },
  { title: 'Expires', width: '142px', from: 440, isNumber: true },
];

/** The quotes of the selected organization, newest first. */
export function QuotesScreen(): JSX.Element {
  const records = useNewestRecords<MockQuote>('quotes');
  const { data, error } = records;
  const { now } = useClock();
  const { id } = useRoute();
  const { data: selected } = useRecord<MockQuote>('quotes', id);
  if (data === undefined)
    return (
      <div class="screen">
        <Pending error={error} />
      </div>
    );
  return (
    <div class="screen">
      <div class="screen-header">
        <h1>Quotes</h1>
        <RecordCount records={records} noun={['quote', 'quotes']} />
        <div class="actions">
          <Button kind="primary" onClick={() => change('quotes.add', [], 'Added a quote.')}>
            Add quote
          </Button>
        </div>
      </div>
      <div class={`split ${selected === undefined || selected === null ? '' : 'open'}`}>
        {data.length === 0 ? (
          <div class="section">
            <Empty>No quotes yet.</Empty>
          </div>
        ) : (
          <VirtualList
            label="Quotes"
            columns={columns}
            rows={data}
            keyOf={(quote) => quote.id}
            isSelected={(quote) => quote.id === id}
            cells={(quote) => [
              <a class="cover" href={linkTo('quotes', quote.id)}>
                {formatAmount(quote.paymentAmount, quote.paymentCurrencyCode)}
              </a>,
              quoteState(quote, now),
              <span>{quote.fundingType}</span>,
              <span class="mono">{quote.id}</span>,
              <span class="mono">{formatTime(quote.expiresAt)}</span>,
            ]}
          />
        )}
        {selected !== undefined && selected !== null && (
          <Panel
            title={formatAmount(selected.paymentAmount, selected.paymentCurrencyCode)}
            onClose={() => navigate('quotes')}
          >
            <QuoteDetails quote={selected} />
            <a href={linkTo('customers', selected.customerId)}>Customer {selected.customerId}</a>
          </Panel>
        )}
      </div>
    </div>
  );
}
