import * as z from 'zod/mini';
import { sensitiveString, string, memoize, withMetadata, optional, strictObject, type Schema } from './schema.js';

/** The body of `support.reply`. All fields are optional, because the specification does not say which are required. */
export interface SupportReplyParams {
  /** The draft this reply comes from. */
  readonly draftId?: string | undefined;
  /** The email address of the person who replies. */
  readonly actorEmail?: string | undefined;
  /** The reply as HTML. */
  readonly bodyHtml?: string | undefined;
  /** The reply as plain text. */
  readonly bodyText?: string | undefined;
}

/** The body of a reply to a ticket. Assumed: A-19, no field is required. */
export const supportReplyParams: Schema<SupportReplyParams> = memoize(() =>
  strictObject<SupportReplyParams>({
    draftId: optional(string()),
    actorEmail: optional(
      withMetadata(z.email({ pattern: z.regexes.html5Email }), { rule: 'must be an e-mail address', sensitive: true }),
    ),
    bodyHtml: optional(sensitiveString()),
    bodyText: optional(sensitiveString()),
  }),
);
