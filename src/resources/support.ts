import { bindMethods } from '../core/bind-methods.js';
import { mapResponse, type ApiPromise } from '../core/api-promise.js';
import type { SupportReplyParams } from '../contract/schema/support.js';
import type { RequestOptions } from '../transport/request-options.js';
import type { Downloads, DownloadUrl } from './downloads.js';
import type { Sender } from '../transport/call.js';

/** The response to a reply. */
export interface SupportReplyResponse {
  /** The response body; the specification does not define its shape. */
  readonly body: unknown;
}

/** Support tickets: `corridor.support`. */
export class Support {
  readonly #sender: Sender;
  readonly #downloads: Downloads;

  /** @internal */
  constructor(sender: Sender, downloads: Downloads) {
    this.#sender = sender;
    this.#downloads = downloads;
    bindMethods(this);
  }

  /**
   * Replies to a support ticket. If the response is lost, the reply is not retried automatically: check the error's
   * `outcome`.
   *
   * @throws InvalidRequestError if a field breaks a rule, for example if `actorEmail` is not an email address;
   * NotFoundError if there is no such ticket.
   * @example
   * ```ts
   * import { Corridor } from 'corridor-sdk';
   * const corridor = new Corridor();
   * await corridor.support.reply('tic_1', { actorEmail: 'ops@partner.example', bodyText: 'The invoice is attached.' });
   * ```
   * Calls `POST /api/v1/support/partner-tickets/{ticketId}/replies`.
   */
  reply(ticketId: string, reply: SupportReplyParams, options: RequestOptions = {}): ApiPromise<SupportReplyResponse> {
    return mapResponse(this.#sender.send('support.reply', { ids: { ticketId }, body: reply }, options), (body) => ({
      body,
    }));
  }

  /**
   * Gets a signed URL to download an attachment of a ticket.
   *
   * @throws NotFoundError if there is no such ticket or attachment; InvalidResponseError if the response does not
   * contain exactly one URL.
   * @example
   * ```ts
   * import { Corridor } from 'corridor-sdk';
   * const corridor = new Corridor();
   * const { url } = await corridor.support.attachmentUrl('tic_1', 'att_1');
   * console.log(new URL(url).host);
   * ```
   * Calls `GET /api/v1/support/partner-tickets/{ticketId}/attachments/{attachmentId}/download-url`.
   */
  attachmentUrl(ticketId: string, attachmentId: string, options: RequestOptions = {}): ApiPromise<DownloadUrl> {
    return this.#downloads.url('support.attachmentUrl', { ticketId, attachmentId }, options);
  }

  /**
   * Downloads an attachment of a ticket: gets its signed URL and fetches it without credentials. The body is a stream
   * without a size limit. `totalTimeout` covers both steps until the body starts. The first step is retried as any
   * read; the file is fetched once.
   *
   * @throws NotFoundError if there is no such ticket or attachment; ApiError if the signed URL is rejected; ServerError
   * if the file is temporarily unavailable.
   * @example
   * ```ts
   * import { Corridor } from 'corridor-sdk';
   * const corridor = new Corridor();
   * const response = await corridor.support.downloadAttachment('tic_1', 'att_1');
   * console.log((await response.arrayBuffer()).byteLength);
   * ```
   * Calls `GET /api/v1/support/partner-tickets/{ticketId}/attachments/{attachmentId}/download-url`, then the signed
   * URL.
   */
  async downloadAttachment(ticketId: string, attachmentId: string, options: RequestOptions = {}): Promise<Response> {
    const ids = { ticketId, attachmentId };
    return this.#downloads.fetch('support.downloadAttachment', 'support.attachmentUrl', ids, options);
  }
}
