import * as z from 'zod/mini';
import { requestId, string, memoize, strictObject } from '../../contract/schema/schema.js';
import { supportReplyParams, type SupportReplyParams } from '../../contract/schema/support.js';
import { fileInput, toFileView, storedFile, type MockFile, type MockFileInput } from '../data/files.js';
import { ticketSubject } from '../data/names.js';
import type { Random } from '../data/random.js';
import { copyOf, deepFreeze, omitUndefined } from '../base/freeze.js';
import type { OrganizationState } from '../state/platform-state.js';
import type { MockTicketReply, StoredAttachment, StoredTicket } from '../state/record-kinds.js';
import {
  fieldsOf,
  inputOf,
  recordsOf,
  requireConforming,
  time,
  timestampNow,
  unknownRecord,
  type MockRecords,
} from './builder.js';

/** A file attached to a ticket. */
export interface MockAttachment extends MockFile {
  /** The attachment's id. */
  readonly id: string;
}

/** The input for an attachment. */
export interface MockAttachmentInput extends MockFileInput {
  /** The attachment's id. @default a generated id */
  readonly id?: string | undefined;
}

/** A support ticket. The specification does not define this record. */
export interface MockTicket {
  /** The ticket's id. */
  readonly id: string;
  /** The subject. */
  readonly subject: string;
  /** The status, such as `OPEN`. */
  readonly status: string;
  /** The time of creation in ISO 8601 format. */
  readonly createdAt: string;
  /** The attached files. */
  readonly attachments: readonly MockAttachment[];
  /** The replies, oldest first. */
  readonly replies: readonly MockTicketReply[];
}

/** The input for a reply to a ticket. */
export interface MockReplyInput extends SupportReplyParams {
  /** The time of the reply in ISO 8601 format. @default the time of the mock's clock */
  readonly createdAt?: string | undefined;
}

/** The input of `tickets.add`. */
export interface MockTicketInput {
  /** The ticket's id. @default a generated id */
  readonly id?: string | undefined;
  /** The subject. @default a generated subject */
  readonly subject?: string | undefined;
  /** The status. @default 'OPEN' */
  readonly status?: string | undefined;
  /** The time of creation in ISO 8601 format. @default the time of the mock's clock */
  readonly createdAt?: string | undefined;
  /** The attached files. @default one PDF */
  readonly attachments?: readonly MockAttachmentInput[] | undefined;
  /** The replies, oldest first. @default none */
  readonly replies?: readonly MockReplyInput[] | undefined;
}

type TicketHead = Pick<StoredTicket, 'id' | 'subject' | 'status' | 'createdAt'>;

/** The fields of a ticket except its parts. */
const ticketHead = memoize(() =>
  strictObject<TicketHead>({ id: requestId(), subject: string(), status: string(), createdAt: string() }),
);
/** The fields of an attachment except its file. */
const attachmentHead = memoize(() => strictObject<Pick<StoredAttachment, 'id'>>({ id: requestId() }));

const replyInput = memoize(() => inputOf(supportReplyParams(), { createdAt: time() }));

/** The schema of the input. */
export const ticketInput = memoize(() =>
  inputOf(ticketHead(), {
    attachments: z.array(inputOf(attachmentHead(), fieldsOf(fileInput()))),
    replies: z.array(replyInput()),
  }),
);

/** Creates and stores a ticket. */
export function createTicket(organization: OrganizationState, input: MockTicketInput = {}): StoredTicket {
  const random = organization.random('tickets', organization.tickets.next);
  const id = random.id('tic_');
  const { attachments = [{}], replies = [], ...rest } = input;
  const head = {
    id,
    subject: ticketSubject(random),
    status: 'OPEN',
    createdAt: timestampNow(organization),
    ...omitUndefined(rest),
  };
  const stored: StoredTicket = {
    ...head,
    attachments: attachmentsOf(random, attachments),
    replies: [],
  };
  organization.tickets.insert(stored.id, Date.parse(stored.createdAt), stored);
  for (const reply of replies) addReplyOfPlatform(organization, stored.id, reply);
  return organization.tickets.get(stored.id) ?? stored;
}

/** Adds a reply of a test. */
function addReplyOfPlatform(organization: OrganizationState, id: string, reply: MockReplyInput): void {
  const { createdAt = timestampNow(organization), ...fields } = omitUndefined(reply);
  addReply(organization, id, { ...fields, createdAt, requested: false });
}

const attachmentsOf = (random: Random, attachments: readonly MockAttachmentInput[]): StoredAttachment[] =>
  attachments.map(({ fileName, contentType, content, ...fields }) => ({
    id: random.id('att_'),
    ...omitUndefined(fields),
    ...storedFile({ fileName, contentType, content }, `attachment-${random.digits(6)}.pdf`),
  }));

/** Returns a ticket with other fields. Attachments replace the present ones. */
function changeTicket(organization: OrganizationState, before: StoredTicket, input: MockTicketInput): StoredTicket {
  const { attachments, replies: _, ...fields } = input;
  const { attachments: present } = before;
  const random = organization.random(`tickets/${before.id}/${present.map(({ id }) => id).join()}`, 0);
  return {
    ...before,
    ...omitUndefined(fields),
    attachments: attachments === undefined ? present : attachmentsOf(random, attachments),
  };
}

/** Adds a reply to a ticket. Returns undefined if the ticket does not exist. */
export function addReply(
  organization: OrganizationState,
  ticketId: string,
  reply: Omit<MockTicketReply, 'id'>,
): MockTicketReply | undefined {
  const ticket = organization.tickets.get(ticketId);
  if (ticket === undefined) return undefined;
  const random = organization.random(`replies/${ticketId}`, ticket.replies.length);
  const stored: MockTicketReply = { id: random.id('rep_'), ...reply };
  organization.tickets.update(ticketId, () => ({ ...ticket, replies: [...ticket.replies, stored] }));
  return stored;
}

function toView(_: OrganizationState, stored: StoredTicket): MockTicket {
  return {
    ...stored,
    attachments: stored.attachments.map((attachment) => ({ id: attachment.id, ...toFileView(attachment) })),
  };
}

/**
 * The support tickets of an organization.
 *
 * @example
 * ```ts
 * import { createMockPlatform } from 'corridor-sdk/mock';
 * const platform = createMockPlatform();
 * const ticket = platform.tickets.add({ attachments: [{ fileName: 'receipt.txt', content: 'Thank you' }] });
 * platform.tickets.get(ticket.id)?.replies; // the replies that support.reply created
 * ```
 */
export interface MockTickets extends MockRecords<MockTicket, MockTicketInput> {
  /**
   * Adds a reply of the platform to a ticket, at the time of the mock's clock by default. Throws `MockPlatformError` if
   * the id does not exist or a field is invalid.
   */
  reply(id: string, reply: MockReplyInput): MockTicket;
}

/** Creates the public interface of the tickets. */
export function ticketRecords(organization: OrganizationState): MockTickets {
  return {
    ...recordsOf(organization, {
      name: 'tickets',
      input: ticketInput,
      create: createTicket,
      toView,
      change: changeTicket,
    }),
    reply: (id, reply) => {
      if (organization.tickets.get(id) === undefined) unknownRecord('tickets.reply', 'id', id);
      requireConforming(organization, 'tickets.reply', replyInput, reply);
      addReplyOfPlatform(organization, id, copyOf(reply));
      return deepFreeze(toView(organization, organization.tickets.get(id) ?? unknownRecord('tickets.reply', 'id', id)));
    },
  };
}
