import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Badge } from '../../../components/badge.js';
import { Button } from '../../../components/controls.js';
import { Empty, Section } from '../../../components/layout.js';
import type { MockTicket } from '../../../control/records.js';
import { change } from '../../../control/use-control.js';
import { formatTime } from '../../../format/text.js';

/** The replies of a ticket, with a form for a reply of the platform. */
export function TicketDetails({ ticket }: { readonly ticket: MockTicket }): JSX.Element {
  const [text, setText] = useState('');
  const reply = async (): Promise<void> => {
    const sent = await change('tickets.reply', [ticket.id, { bodyText: text }], 'Replied as the platform.');
    if (sent) setText('');
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
  );
}
