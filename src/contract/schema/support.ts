import * as z from 'zod/mini';
import { sensitiveString, string, memoize, withMetadata, optional, requestObject, type Schema } from './schema.js';

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

// As HTML defines it for `<input type="email">`.
const emailPattern =
  /^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/;

/** An email address in a request. Without `z.email`, with which bundlers keep all patterns of zod. */
export const emailAddress: Schema<string> = memoize(() =>
  withMetadata(z.string().check(z.regex(emailPattern)), { rule: 'must be an e-mail address', sensitive: true }),
);

/** The body of a reply to a ticket. Assumed: A-19, no field is required. */
export const supportReplyParams: Schema<SupportReplyParams> = memoize(() =>
  requestObject<SupportReplyParams>({
    draftId: optional(string()),
    actorEmail: optional(emailAddress()),
    bodyHtml: optional(sensitiveString()),
    bodyText: optional(sensitiveString()),
  }),
);
