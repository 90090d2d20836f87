import { Corridor, type SupportReplyParams } from 'corridor-sdk';

/** Reads an attachment of a support ticket and replies to the ticket. Returns the size of the attachment in bytes. */
export async function replyToTicket(
  corridor: Corridor,
  ticketId: string,
  attachmentId: string,
  reply: SupportReplyParams,
): Promise<number> {
  const attachment = await corridor.support.downloadAttachment(ticketId, attachmentId);
  const { byteLength } = await attachment.arrayBuffer();
  await corridor.support.reply(ticketId, reply);
  return byteLength;
}

// node examples/reply-to-ticket.ts <ticket id> <attachment id> <your e-mail address> <text>
if (import.meta.main) {
  const [ticketId = '', attachmentId = '', actorEmail, bodyText] = process.argv.slice(2);
  console.log(await replyToTicket(new Corridor(), ticketId, attachmentId, { actorEmail, bodyText }));
}
