import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Badge, StatusBadge } from '../../components/badge.js';
import { Button } from '../../components/controls.js';
import { Empty, Section } from '../../components/layout.js';
import { RecordScreen } from '../../components/record-screen.js';
import type { MockTicket } from '../../control/records.js';
import { change } from '../../control/use-control.js';
import { formatTime } from '../../format/text.js';
import { linkTo } from '../../router.js';

/** The support tickets of the selected organization. */
export function TicketsScreen(): JSX.Element {
  return (
    <RecordScreen<MockTicket>
      title="Tickets"
      kind="tickets"
      noun={['ticket', 'tickets']}
      columns={[
        { title: 'Subject', width: 'minmax(150px, 2fr)' },
        { title: 'Status', width: '110px' },
        { title: 'Replies', width: '64px', from: 520, isNumber: true },
        { title: 'Created', width: '142px', from: 480, isNumber: true },
      ]}
      cells={(ticket) => [
        <a class="cover" href={linkTo('tickets', ticket.id)}>
          {ticket.subject}
        </a>,
        <StatusBadge status={ticket.status} />,
        ticket.replies.length,
        <span class="mono">{formatTime(ticket.createdAt)}</span>,
      ]}
      searchText={({ id, subject, status }) => [id, subject, status].join(' ')}
      actions={
        <Button kind="primary" onClick={() => change('tickets.add', [], 'Added a ticket.')}>
          Add ticket
        </Button>
      }
      renderDetails={(ticket) => ({
        title: (
          <>
            {ticket.subject} <StatusBadge status={ticket.status} />
          </>
        ),
        body: <TicketDetails ticket={ticket} />,
      })}
    />
  );
}

function TicketDetails({ ticket }: { readonly ticket: MockTicket }): JSX.Element {
  const [text, setText] = useState('');
  const reply = async (): Promise<void> => {
    const sent = await change('tickets.reply', [ticket.id, { bodyText: text }], 'Replied as the platform.');
    if (sent) setText('');
  };
  return (
    <>
      <Section title="Replies" count={ticket.replies.length}>
        {ticket.replies.length === 0 && <Empty>No replies yet.</Empty>}
        {ticket.replies.map((each) => (
          <article class="reply" key={each.id}>
            <header>
              <Badge tone={each.requested ? 'info' : 'neutral'}>{each.requested ? 'partner' : 'platform'}</Badge>
              <span>{each.actorEmail}</span>
              <time class="mono">{formatTime(each.createdAt)}</time>
            </header>
            <p>{each.bodyText ?? each.bodyHtml ?? ''}</p>
          </article>
        ))}
        <form
          class="section-body column"
          onSubmit={(event) => {
            event.preventDefault();
            void reply();
          }}
        >
          <label class="field">
            <span class="field-label">Reply as the platform</span>
            <textarea value={text} required onInput={(event) => setText(event.currentTarget.value)} />
          </label>
          <div class="actions">
            <Button kind="primary" type="submit">
              Reply
            </Button>
          </div>
        </form>
      </Section>
      <Section title="Attachments" count={ticket.attachments.length}>
        <ul class="rows">
          {ticket.attachments.map(({ id, fileName, contentType }) => (
            <li key={id}>
              <span class="grow">{fileName}</span>
              <span class="muted">{contentType}</span>
              <span class="mono muted">{id}</span>
            </li>
          ))}
        </ul>
      </Section>
    </>
  );
}
