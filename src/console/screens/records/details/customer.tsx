import type { JSX } from 'preact';
import { StatusBadge } from '../../components/badge.js';
import { Button } from '../../components/controls.js';
import { Facts, Section } from '../../components/layout.js';
import { RecordScreen } from '../../components/record-screen.js';
import type { Beneficiary, Customer, CustomerActivity, MockPayment, MockPerson } from '../../control/records.js';
import { change, useControl } from '../../control/use-control.js';
import { formatAmount, formatTime } from '../../format/text.js';
import { linkTo } from '../../router.js';
import { TransitionButtons } from '../../components/transition-buttons.js';

/** The customers of the selected organization. */
export function CustomersScreen(): JSX.Element {
  return (
    <RecordScreen<Customer>
      title="Customers"
      kind="customers"
      noun={['customer', 'customers']}
      columns={[
        { title: 'Company', width: 'minmax(140px, 2fr)' },
        { title: 'Status', width: '170px' },
        { title: 'Country', width: 'minmax(90px, 1fr)', from: 560 },
        { title: 'Registration', width: 'minmax(90px, 1fr)', from: 800 },
        { title: 'Created', width: '142px', from: 480, isNumber: true },
      ]}
      cells={(customer) => [
        <a class="cover" href={linkTo('customers', customer.id)}>
          {customer.companyName}
        </a>,
        <StatusBadge status={customer.status} />,
        customer.countryOfIncorporation.name,
        <span class="mono">{customer.registrationNumber}</span>,
        <span class="mono">{formatTime(customer.createdAt)}</span>,
      ]}
      searchText={({ id, companyName, status, registrationNumber }) =>
        [id, companyName, status, registrationNumber].join(' ')
      }
      actions={
        <Button kind="primary" onClick={() => change('customers.add', [], 'Added a customer.')}>
          Add customer
        </Button>
      }
      renderDetails={(customer) => ({
        title: (
          <>
            {customer.companyName} <StatusBadge status={customer.status} />
          </>
        ),
        actions: <TransitionButtons kind="customers" id={customer.id} status={customer.status} />,
        body: <CustomerDetails customer={customer} />,
      })}
    />
  );
}

function CustomerDetails({ customer }: { readonly customer: Customer }): JSX.Element {
  const { addressLine1, addressLine2, postalCode, city, stateProvinceRegion, addressCountry } = customer;
  return (
    <>
      <Section title="Company">
        <Facts
          facts={[
            ['Registration number', customer.registrationNumber],
            ['Incorporated in', customer.countryOfIncorporation.name],
            [
              'Address',
              [addressLine1, addressLine2, `${postalCode} ${city}`, stateProvinceRegion, addressCountry.name]
                .filter((part) => part.trim() !== '')
                .join(', '),
            ],
            ['Created', `${formatTime(customer.createdAt)} UTC`],
            ['Customer ID', <span class="mono">{customer.id}</span>],
          ]}
        />
      </Section>
      <Activity customerId={customer.id} />
      <Related customerId={customer.id} />
    </>
  );
}

function Activity({ customerId }: { readonly customerId: string }): JSX.Element {
  const { data = [] } = useControl<readonly CustomerActivity[]>('customers.activity', [customerId]);
  return (
    <Section title="Activity" count={data.length}>
      {data.length === 0 ? (
        <p class="section-body muted">No activity.</p>
      ) : (
        <ol class="timeline">
          {data.map((entry, index) => (
            <li key={entry.id ?? index}>
              <span>
                {entry.fromStatus !== null && entry.fromStatus !== undefined && (
                  <StatusBadge status={entry.fromStatus} />
                )}
                {' → '}
                <StatusBadge status={entry.toStatus ?? ''} />
              </span>
              <span class="muted">{[entry.createdByFirstName, entry.createdByLastName].filter(Boolean).join(' ')}</span>
              <time class="mono">{formatTime(entry.createdAt ?? '')}</time>
              {entry.note !== null && entry.note !== undefined && entry.note !== '' && (
                <span class="muted">{entry.note}</span>
              )}
            </li>
          ))}
        </ol>
      )}
    </Section>
  );
}

/** The most records of a kind that the page of a customer shows. */
const maxRelated = 25;

function Related({ customerId }: { readonly customerId: string }): JSX.Element {
  const query = { customerId, order: 'newest-first', limit: maxRelated + 1 };
  const { data: beneficiaries = [] } = useControl<readonly Beneficiary[]>('beneficiaries.all', [query]);
  const { data: persons = [] } = useControl<readonly MockPerson[]>('persons.all', [query]);
  const { data: payments = [] } = useControl<readonly MockPayment[]>('payments.all', [query]);
  const lists = [
    [
      'Beneficiaries',
      beneficiaries.map(({ id, companyName, status }) => ({
        id,
        text: companyName,
        status,
        screen: 'beneficiaries',
      })),
    ],
    [
      'Persons',
      persons.map(({ id, screening }) => ({
        id,
        text: screening.subject.displayName,
        status: screening.subject.paymentHold ? 'PAYMENT_HOLD' : undefined,
        screen: 'persons',
      })),
    ],
    [
      'Payments',
      payments.map(({ id, amount, currencyCode, status }) => ({
        id,
        text: formatAmount(amount, currencyCode),
        status,
        screen: 'payments',
      })),
    ],
  ] as const;
  return (
    <>
      {lists.map(([title, records]) => (
        <Section key={title} title={title} count={records.length > maxRelated ? `${maxRelated}+` : records.length}>
          <ul class="rows">
            {records.slice(0, maxRelated).map(({ id, text, status, screen }) => (
              <li key={id}>
                <a class="grow" href={linkTo(screen, id)}>
                  {text}
                </a>
                {status !== undefined && <StatusBadge status={status} />}
              </li>
            ))}
            {records.length > maxRelated && <li class="muted">and older ones</li>}
          </ul>
        </Section>
      ))}
    </>
  );
}
