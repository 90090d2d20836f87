import { Corridor, type SupportReply } from 'corridor-sdk';

/** Reads an attachment of a support ticket, then answers the ticket. Gives the size of the attachment, in bytes. */
export async function answerTicket(corridor: Corridor, ticketId: string, attachmentId: string, reply: SupportReply): Promise<number> {
  const attachment = await corridor.support.downloadAttachment(ticketId, attachmentId);
  const { byteLength } = await attachment.arrayBuffer();
  await corridor.support.reply(ticketId, reply);
  return byteLength;
}

// node examples/answer-ticket.ts <ticket id> <attachment id> <your e-mail address> <text>
if (import.meta.main) {
  const [ticketId = '', attachmentId = '', actorEmail, bodyText] = process.argv.slice(2);
  console.log(await answerTicket(new Corridor(), ticketId, attachmentId, { actorEmail, bodyText }));
}
