import { requestId, text } from '../../contract/field.js';
import { lazily, record } from '../../contract/schema.js';
import { supportReply, type SupportReply } from '../../contract/support.js';
import { shownFile, storedFile, type MockFile, type MockFileInput } from '../files.js';
import { ticketSubject } from '../names.js';
import type { OrganizationState } from '../state.js';
import type { StoredAttachment, StoredReply, StoredTicket } from '../stored.js';
import { given, recordsOf, requireConforming, requireLists, timeOf, timestampNow, type MockRecords } from './input.js';

/** A file attached to a ticket. */
export interface MockAttachment extends MockFile {
  /** The attachment's id. */
  readonly id: string;
}

/** What an attachment may be given as. */
export interface MockAttachmentInput extends MockFileInput {
  /** The attachment's id. @default one that is made */
  readonly id?: string | undefined;
}

/** A reply to a ticket. */
export interface MockReply extends SupportReply {
  /** The reply's id. */
  readonly id: string;
  /** When it came, an ISO 8601 text. */
  readonly createdAt: string;
  /** Whether a request sent it, and not your test. */
  readonly requested: boolean;
}

/** A support ticket. The specification shows no such record; this one is the mock's. */
export interface MockTicket {
  /** The ticket's id. */
  readonly id: string;
  /** What it is about. */
  readonly subject: string;
  /** Where it stands, such as `OPEN`. */
  readonly status: string;
  /** When it was opened, an ISO 8601 text. */
  readonly createdAt: string;
  /** The files attached to it. */
  readonly attachments: readonly MockAttachment[];
  /** The replies, oldest first. */
  readonly replies: readonly MockReply[];
}

/** What `tickets.add` takes. */
export interface MockTicketInput {
  /** The ticket's id. @default one that is made */
  readonly id?: string | undefined;
  /** What it is about. @default a question that is made up */
  readonly subject?: string | undefined;
  /** Where it stands. @default 'OPEN' */
  readonly status?: string | undefined;
  /** When it was opened, an ISO 8601 text. @default the mock's time */
  readonly createdAt?: string | undefined;
  /** @default one PDF */
  readonly attachments?: readonly MockAttachmentInput[] | undefined;
  /** @default none */
  readonly replies?: readonly SupportReply[] | undefined;
}

const call = 'tickets.add';

type TicketHead = Pick<StoredTicket, 'id' | 'subject' | 'status' | 'createdAt'>;

const ticketHead = lazily(() => record<TicketHead>({ id: requestId(), subject: text(), status: text(), createdAt: text() }));
const attachmentHead = lazily(() => record<Pick<StoredAttachment, 'id'>>({ id: requestId() }));

/** Makes a ticket and puts it into the state. */
export function createTicket(organization: OrganizationState, input: MockTicketInput = {}): StoredTicket {
  const random = organization.random('tickets', organization.tickets.next);
  const id = `tic_${random.letters(16)}`;
  const { attachments = [{}], replies = [], ...rest } = input;
  requireLists(call, { attachments, replies });
  const head = { id, subject: ticketSubject(random), status: 'OPEN', createdAt: timestampNow(organization), ...given(rest) };
  requireConforming(call, ticketHead, head);
  const at = timeOf(call, head.createdAt);
  const stored: StoredTicket = {
    ...head,
    attachments: attachments.map(({ fileName, contentType, content, ...more }) => {
      const attachment = { id: `att_${random.letters(16)}`, ...given(more) };
      requireConforming(`${call}: attachments`, attachmentHead, attachment);
      return { ...attachment, ...storedFile(`${call}: attachments`, { fileName, contentType, content }, `attachment-${random.digits(6)}.pdf`) };
    }),
    replies: [],
  };
  for (const reply of replies) requireConforming(`${call}: replies`, supportReply, given(reply));
  organization.tickets.insert(stored.id, at, stored);
  for (const reply of replies) addReply(organization, stored.id, { ...given(reply), createdAt: head.createdAt, requested: false });
  return organization.tickets.get(stored.id) ?? stored;
}

/** Adds a reply to a ticket; undefined where there is no such ticket. */
export function addReply(organization: OrganizationState, ticketId: string, reply: Omit<StoredReply, 'id'>): StoredReply | undefined {
  const ticket = organization.tickets.get(ticketId);
  if (ticket === undefined) return undefined;
  const random = organization.random(`replies/${ticketId}`, ticket.replies.length);
  const stored: StoredReply = { id: `rep_${random.letters(16)}`, ...reply };
  organization.tickets.update(ticketId, () => ({ ...ticket, replies: [...ticket.replies, stored] }));
  return stored;
}

function shown(_: OrganizationState, stored: StoredTicket): MockTicket {
  return { ...stored, attachments: stored.attachments.map((attachment) => ({ id: attachment.id, ...shownFile(attachment) })) };
}

/**
 * The support tickets of an organization.
 *
 * @example
 * ```ts
 * import { createMockPlatform } from 'corridor-sdk/mock';
 * const platform = createMockPlatform();
 * const ticket = platform.tickets.add({ attachments: [{ fileName: 'receipt.txt', content: 'Thank you' }] });
 * platform.tickets.get(ticket.id)?.replies; // what was sent by support.reply
 * ```
 */
export interface MockTickets extends MockRecords<MockTicket, MockTicketInput> {}

/** The support tickets of an organization. */
export function ticketRecords(organization: OrganizationState): MockTickets {
  return recordsOf(organization, { call, create: createTicket, collection: ({ tickets }) => tickets, show: shown });
}
