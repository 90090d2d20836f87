import type { JSX } from 'preact';
import type { CustomerActivity } from '../../../contract/schema/customers.js';
import type { MockPerson, MockTicket } from '../../../mock/index.js';
import { recordColumns } from '../../../presentation/columns.js';
import { TextForm } from '../../components/controls.js';
import { Empty, Section } from '../../components/layout.js';
import { linkTo } from '../../control/router.js';
import { change, useControl } from '../../control/use-control.js';
import { pluralize } from '../../format/text.js';
import { FieldFacts, FieldTable } from './fields.js';

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
        <FieldTable columns={recordColumns.activity} rows={data} error={error} empty="No activity." />
      </Section>
    </>
  );
}

/** The result of the screening of a person, with the matches to decide. */
export function PersonDetails({ id, screening: { subject, openMatches } }: MockPerson): JSX.Element {
  const clear = (matchId: string, reason: string): Promise<void> =>
    change('persons.clearMatch', [id, matchId, ...(reason === '' ? [] : [{ reason }])], 'Cleared the match.');
  return (
    <>
      <Section title="Subject">
        <FieldFacts record={{ ...subject }} />
      </Section>
      <Section title="Open matches" count={openMatches.length}>
        {openMatches.length === 0 && <Empty>No open matches.</Empty>}
        {openMatches.map((match) => (
          <div key={match.matchId} class="match">
            <FieldFacts record={{ ...match }} />
            <FieldTable columns={['label', 'matchedValue', 'candidateValue', 'score']} rows={match.features} />
            <TextForm
              label="Reason of the decision"
              submit="Clear match"
              onSubmit={(reason) => clear(match.matchId, reason)}
            />
          </div>
        ))}
      </Section>
    </>
  );
}

/** The replies of a ticket, with a form for a reply of the platform. */
export function TicketDetails({ id, replies }: MockTicket): JSX.Element {
  return (
    <Section title="Replies" count={replies.length}>
      <FieldTable columns={['createdAt', 'actorEmail', 'bodyText']} rows={replies} empty="No replies yet." />
      <TextForm
        label="Reply as the platform"
        submit="Reply"
        required
        onSubmit={(bodyText) => change('tickets.reply', [id, { bodyText }], 'Replied as the platform.')}
      />
    </Section>
  );
}

/** The parts of a document that the control API sends and that are shown here. */
export interface DocumentFile {
  readonly fileName: string;
  readonly content: { readonly base64: string };
}

/** The size of a document, with a link that downloads it. */
export function DocumentDetails({ fileName, content }: DocumentFile): JSX.Element {
  return (
    <Section title="Content">
      <p class="section-body">
        {pluralize(atob(content.base64).length, 'byte')}{' '}
        <a href={`data:application/octet-stream;base64,${content.base64}`} download={fileName}>
          Download
        </a>
      </p>
    </Section>
  );
}
