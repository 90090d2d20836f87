import type { JSX } from 'preact';
import { StatusBadge } from '../../../components/badge.js';
import { Empty, Pending, Section } from '../../../components/layout.js';
import type { CustomerActivity } from '../../../control/records.js';
import { useControl } from '../../../control/use-control.js';
import { formatTime } from '../../../format/text.js';
import { linkTo } from '../../../control/router.js';

/** The kinds of records that belong to a customer. */
const related = ['payments', 'quotes', 'beneficiaries', 'persons', 'documents'] as const;

/** The activity of a customer, and links to the records that belong to it. */
export function CustomerDetails({ id }: { readonly id: string }): JSX.Element {
  return (
    <>
      <Section title="Records of the customer">
        <p class="section-body toolbar">
          {related.map((kind) => (
            <a key={kind} href={linkTo(kind, undefined, { customerId: id })}>
              {kind}
            </a>
          ))}
        </p>
      </Section>
      <Activity customerId={id} />
    </>
  );
}

function Activity({ customerId }: { readonly customerId: string }): JSX.Element {
  const { data, error } = useControl<readonly CustomerActivity[]>('customers.activity', [customerId]);
  return (
    <Section title="Activity" count={data?.length}>
      {data === undefined ? (
        <Pending error={error} />
      ) : data.length === 0 ? (
        <Empty>No activity.</Empty>
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
