import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Badge } from '../../../components/badge.js';
import { Button, Form, Input } from '../../../components/controls.js';
import { Empty, Section } from '../../../components/layout.js';
import type { MockTicket } from '../../../control/records.js';
import { submit } from '../../../control/use-control.js';
import { formatTime } from '../../../format/text.js';

/** The replies of a ticket, with a form for a reply of the platform. */
export function TicketDetails({ ticket }: { readonly ticket: MockTicket }): JSX.Element {
  const [text, setText] = useState('');
  const reply = async (): Promise<string | undefined> => {
    const error = await submit('tickets.reply', [ticket.id, { bodyText: text }], 'Replied as the platform.');
    if (error === undefined) setText('');
    return error;
  };
  return (
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
      <Form onSubmit={reply}>
        <Input label="Reply as the platform" value={text} onInput={setText} required />
        <div class="actions">
          <Button kind="primary" type="submit">
            Reply
          </Button>
        </div>
      </Form>
    </Section>
  );
}
