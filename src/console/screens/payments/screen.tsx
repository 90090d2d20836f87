import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { StatusBadge } from '../../components/badge.js';
import { Button, Input, Select } from '../../components/controls.js';
import { Empty, Pending } from '../../components/layout.js';
import { RecordCount } from '../../components/record-count.js';
import { VirtualList, type Column } from '../../components/virtual-list.js';
import type { MockPayment, Transitions } from '../../control/records.js';
import { change, useControl, useNewestRecords } from '../../control/use-control.js';
import { formatAmount, formatStatus, formatTime } from '../../format/text.js';
import { linkTo, useRoute } from '../../router.js';
import { Board } from './board.js';
import { PaymentPage } from './payment.js';

const columns: readonly Column[] = [
  { title: 'Amount', width: 'minmax(120px, 1.2fr)' },
  { title: 'Status', width: '140px' },
  { title: 'Beneficiary', width: 'minmax(120px, 2fr)', from: 700 },
  { title: 'Customer', width: 'minmax(120px, 2fr)', from: 900 },
  { title: 'Reference', width: 'minmax(90px, 1fr)', from: 1050 },
  { title: 'Created', width: '142px', from: 520, isNumber: true },
];

/** The payments of the selected organization. */
export function PaymentsScreen(): JSX.Element {
  const { id } = useRoute();
  return id === undefined ? <PaymentList /> : <PaymentPage id={id} />;
}

function PaymentList(): JSX.Element {
  const records = useNewestRecords<MockPayment>('payments');
  const { data, error } = records;
  const { data: transitions } = useControl<Transitions>('transitions', [], 'platform');
  const [view, setView] = useState<'board' | 'table'>('board');
  const [text, setText] = useState('');
  const [status, setStatus] = useState('');
  const statuses = Object.keys(transitions?.['payments'] ?? {});
  const matching = useMemo(
    () => (data ?? []).filter((payment) => (status === '' || payment.status === status) && matchesText(payment, text)),
    [data, text, status],
  );
  if (data === undefined)
    return (
      <div class="screen">
        <Pending error={error} />
      </div>
    );
  return (
    <div class="screen">
      <div class="screen-header">
        <h1>Payments</h1>
        <RecordCount records={records} noun={['payment', 'payments']} />
        <div class="actions">
          <div class="segmented" role="group" aria-label="View">
            <Button pressed={view === 'board'} onClick={() => setView('board')}>
              Board
            </Button>
            <Button pressed={view === 'table'} onClick={() => setView('table')}>
              Table
            </Button>
          </div>
          <Button
            kind="primary"
            onClick={() => change('payments.add', [], 'Added a payment with its quote and invoice.')}
          >
            Add payment
          </Button>
        </div>
      </div>
      <div class="toolbar" role="search">
        <div class="grow">
          <Input
            label="Filter payments"
            hideLabel
            placeholder="Filter by id, amount, name or reference"
            value={text}
            onInput={setText}
          />
        </div>
        {view === 'table' && (
          <Select
            label="Status"
            hideLabel
            value={status}
            onChange={setStatus}
            options={[['', 'All statuses'], ...statuses.map((each) => [each, formatStatus(each)] as const)]}
          />
        )}
      </div>
      {matching.length === 0 ? (
        <div class="section">
          <Empty>
            {data.length === 0
              ? 'No payments yet. Create one with a client, add one, or populate the platform under State.'
              : 'No payment matches the filter.'}
          </Empty>
        </div>
      ) : view === 'board' ? (
        <Board payments={matching} statuses={statuses} />
      ) : (
        <VirtualList
          label="Payments"
          columns={columns}
          rows={matching}
          keyOf={(payment) => payment.id}
          cells={cellsOf}
        />
      )}
    </div>
  );
}

function matchesText(
  { id, amount, currencyCode, customer, beneficiary, internalReference, invoiceNumber, paymentQuoteId }: MockPayment,
  text: string,
): boolean {
  if (text === '') return true;
  const searched = [
    id,
    amount,
    currencyCode,
    customer.companyName,
    beneficiary.companyName,
    internalReference,
    invoiceNumber,
    paymentQuoteId,
  ];
  return searched.join(' ').toLowerCase().includes(text.toLowerCase());
}

function cellsOf(payment: MockPayment): JSX.Element[] {
  return [
    <a class="cover" href={linkTo('payments', payment.id)}>
      {formatAmount(payment.amount, payment.currencyCode)}
    </a>,
    <StatusBadge status={payment.status} />,
    <span>{payment.beneficiary.companyName}</span>,
    <span>{payment.customer.companyName}</span>,
    <span class="mono">{payment.internalReference}</span>,
    <span class="mono">{formatTime(payment.createdAt)}</span>,
  ];
}
