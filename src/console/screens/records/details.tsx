import type { JSX } from 'preact';
import { recordColumns } from '../../../presentation/columns.js';
import { Form, Input } from '../../components/controls.js';
import { Loaded, Section } from '../../components/layout.js';
import type { CustomerActivity, MockPerson, MockTicket } from '../../control/record-types.js';
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
        <Loaded data={data} error={error} empty="No activity.">
          {(activity) => <FieldTable columns={recordColumns.activity} rows={activity} />}
        </Loaded>
      </Section>
    </>
  );
}

/** The result of the screening of a person, with the matches to decide. */
export function PersonDetails({ person }: { readonly person: MockPerson }): JSX.Element {
  const { subject, openMatches } = person.screening;
  return (
    <>
      <Section title="Subject">
        <FieldFacts record={{ ...subject }} />
      </Section>
      <Section title="Open matches" count={openMatches.length}>
        <Loaded data={openMatches} error={undefined} empty="No open matches.">
          {(matches) => (
            <>
              {matches.map((match) => (
                <div key={match.matchId} class="match">
                  <FieldFacts record={{ ...match }} />
                  <FieldTable columns={['label', 'matchedValue', 'candidateValue', 'score']} rows={match.features} />
                  <Form
                    isInline
                    submit="Clear match"
                    onSubmit={({ reason }) => {
                      const disposition = reason === '' ? [] : [{ reason }];
                      return change(
                        'persons.clearMatch',
                        [person.id, match.matchId, ...disposition],
                        'Cleared the match.',
                      );
                    }}
                  >
                    <Input label="Reason" hideLabel name="reason" placeholder="Reason of the decision" />
                  </Form>
                </div>
              ))}
            </>
          )}
        </Loaded>
      </Section>
    </>
  );
}

/** The replies of a ticket, with a form for a reply of the platform. */
export function TicketDetails({ ticket: { id, replies } }: { readonly ticket: MockTicket }): JSX.Element {
  return (
    <Section title="Replies" count={replies.length}>
      <Loaded data={replies} error={undefined} empty="No replies yet.">
        {(shown) => <FieldTable columns={['createdAt', 'actorEmail', 'bodyText']} rows={shown} />}
      </Loaded>
      <Form
        key={replies.length}
        submit="Reply"
        onSubmit={(reply) => change('tickets.reply', [id, reply], 'Replied as the platform.')}
      >
        <Input label="Reply as the platform" name="bodyText" required />
      </Form>
    </Section>
  );
}

/** The parts of a document that the control API sends and that are shown here. */
export interface DocumentFile {
  readonly fileName: string;
  readonly content: { readonly base64: string };
}

/** The size of a document, with a link that downloads it. */
export function DocumentDetails({ file: { fileName, content } }: { readonly file: DocumentFile }): JSX.Element {
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
