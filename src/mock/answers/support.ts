import type { AnswersOf, Call } from '../call.js';
import { temporaryUrl } from '../downloads.js';
import { timestampNow } from '../records/input.js';
import { addReply } from '../records/tickets.js';
import { refuseMissing } from '../refusal.js';

function reply({ organization, parameters, body }: Call<'support.reply'>) {
  const { ticketId } = parameters;
  const { id, createdAt } = addReply(organization, ticketId, { ...body, createdAt: timestampNow(organization), requested: true }) ?? refuseMissing('ticket');
  return { id, createdAt, ...body, ticketId }; // Assumed: A-5
}

function attachmentUrl({ organization, parameters, base }: Call<'support.attachmentUrl'>) {
  const { ticketId, attachmentId } = parameters;
  const ticket = organization.tickets.get(ticketId) ?? refuseMissing('ticket');
  if (!ticket.attachments.some(({ id }) => id === attachmentId)) refuseMissing('attachment of this ticket');
  return temporaryUrl(organization, base, 'attachments', [ticketId, attachmentId]); // Assumed: A-4
}

/** The answers of the namespace `support`. */
export const support: AnswersOf<'support'> = {
  'support.reply': reply,
  'support.attachmentUrl': attachmentUrl,
};
