import type { HandlersFor, HandlerContext } from './handler.js';
import { temporaryUrl } from '../../records/downloads.js';
import { timestampNow } from '../../records/builder.js';
import { addReply } from '../../records/tickets.js';
import { notFound } from '../../wire/http-error.js';

// Assumed: A-39
function reply({ organization, params, body }: HandlerContext<'support.reply'>) {
  const { ticketId } = params;
  const { id, createdAt } =
    addReply(organization, ticketId, { ...body, createdAt: timestampNow(organization), requested: true }) ??
    notFound('ticket', ticketId);
  return { id, createdAt, ...body, ticketId }; // Assumed: A-5
}

function attachmentUrl({ organization, params, base }: HandlerContext<'support.attachmentUrl'>) {
  const { ticketId, attachmentId } = params;
  const ticket = organization.tickets.get(ticketId) ?? notFound('ticket', ticketId);
  if (!ticket.attachments.some(({ id }) => id === attachmentId)) notFound('attachment of this ticket', attachmentId);
  return temporaryUrl(organization, base, 'attachments', [ticketId, attachmentId]); // Assumed: A-4
}

/** The handlers of the namespace `support`. */
export const support: HandlersFor<'support'> = {
  'support.reply': reply,
  'support.attachmentUrl': attachmentUrl,
};
