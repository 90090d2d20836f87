import type { JSX } from 'preact';
import { StatusBadge } from '../../../components/badge.js';
import { Loaded, Section, Timeline } from '../../../components/layout.js';
import type { CustomerActivity } from '../../../control/records.js';
import { useControl } from '../../../control/use-control.js';
import { formatTime } from '../../../format/text.js';
import { linkTo } from '../../../control/router.js';

/** The kinds of records that belong to a customer. */
const related = ['payments', 'quotes', 'beneficiaries', 'persons', 'documents'] as const;

/** The activity of a customer, and links to the records that belong to it. */
export function CustomerDetails({ id }: { readonly id: string }): JSX.Element {
  const { data, error } = useControl<readonly CustomerActivity[]>('customers.activity', [id]);
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
      <Section title="Activity" count={data?.length}>
        <Loaded data={data} error={error} empty="No activity.">
          {(activity) => <Timeline entries={activity.map(entryOf)} />}
        </Loaded>
      </Section>
    </>
  );
}

const entryOf = ({
  fromStatus,
  toStatus,
  createdAt,
  createdByFirstName,
  createdByLastName,
  note,
}: CustomerActivity) => ({
  at: formatTime(createdAt ?? ''),
  content: (
    <>
      <span>
        {fromStatus && <StatusBadge status={fromStatus} />}
        {' → '}
        <StatusBadge status={toStatus ?? ''} />
      </span>
      <span class="muted">{[createdByFirstName, createdByLastName, note].filter(Boolean).join(' ')}</span>
    </>
  ),
});
