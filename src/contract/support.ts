import * as z from 'zod/mini';
import { text } from './field.js';
import { lazily, mean, optional, record, type Schema } from './schema.js';

/** What `support.reply` sends. Which fields the platform requires is not specified; all may be absent here. */
export interface SupportReply {
  /** The draft this reply comes from. */
  readonly draftId?: string | undefined;
  /** Who replies: an e-mail address. */
  readonly actorEmail?: string | undefined;
  /** The reply as HTML. */
  readonly bodyHtml?: string | undefined;
  /** The reply as plain text. */
  readonly bodyText?: string | undefined;
}

/** A reply to a ticket, as it is sent. Assumed: A-19, no field is required. */
export const supportReply: Schema<SupportReply> = lazily(() =>
  record<SupportReply>({
    draftId: optional(text()),
    actorEmail: optional(mean(z.email({ pattern: z.regexes.html5Email }), { rule: 'must be an e-mail address' })),
    bodyHtml: optional(text()),
    bodyText: optional(text()),
  }),
);
