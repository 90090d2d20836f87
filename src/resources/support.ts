import { callOf, type ApiCall } from '../api-call.js';
import type { SupportReply } from '../contract/support.js';
import type { Download } from '../transport/download.js';
import type { RequestOptions } from '../transport/request.js';
import { downloadUrlOf, type DownloadUrl } from './download-url.js';
import type { ResourceOptions } from './list.js';

/** What the platform answers to a reply. */
export interface SupportReplyReceipt {
  /** The answer as it came: its shape is not specified. */
  readonly body: unknown;
}

/** Support tickets: `corridor.support`. */
export class Support {
  readonly #resource: ResourceOptions;
  readonly #download: Download;

  /** Made by the client. */
  constructor(resource: ResourceOptions, download: Download) {
    this.#resource = resource;
    this.#download = download;
  }

  /**
   * Replies to a support ticket. A reply whose answer was lost is not sent again by itself: see the error's `outcome`.
   *
   * @throws InvalidRequestError where a field breaks a rule, such as `actorEmail` that is no e-mail address; NotFoundError where there is no such ticket.
   * @example
   * ```ts
   * import { Corridor } from 'corridor-sdk';
   * const corridor = new Corridor();
   * await corridor.support.reply('tic_1', { actorEmail: 'ops@partner.example', bodyText: 'The invoice is attached.' });
   * ```
   * Calls `POST /api/v1/support/partner-tickets/{ticketId}/replies`.
   */
  reply(ticketId: string, reply: SupportReply, options: RequestOptions = {}): ApiCall<SupportReplyReceipt> {
    return callOf(this.#resource.send('support.reply', { ids: { ticketId }, body: reply }, options), (body) => ({ body }));
  }

  /**
   * Gets a signed URL from which an attachment of a ticket can be downloaded.
   *
   * @throws NotFoundError where there is no such ticket or attachment; InvalidResponseError where the answer holds no URL, or several.
   * @example
   * ```ts
   * import { Corridor } from 'corridor-sdk';
   * const corridor = new Corridor();
   * const { url } = await corridor.support.attachmentUrl('tic_1', 'att_1');
   * console.log(new URL(url).host);
   * ```
   * Calls `GET /api/v1/support/partner-tickets/{ticketId}/attachments/{attachmentId}/download-url`.
   */
  attachmentUrl(ticketId: string, attachmentId: string, options: RequestOptions = {}): ApiCall<DownloadUrl> {
    return downloadUrlOf('support.attachmentUrl', this.#resource.send('support.attachmentUrl', { ids: { ticketId, attachmentId } }, options));
  }

  /**
   * Downloads an attachment of a ticket: gets its signed URL and fetches that with none of our credentials. The body is yours to read, and has no size limit.
   * `deadline` bounds both steps together, until the body begins. The first is retried as any read; the file is fetched once.
   *
   * @throws NotFoundError where there is no such ticket or attachment; ApiError where the signed URL is refused, or ServerError where the file cannot be had for now.
   * @example
   * ```ts
   * import { Corridor } from 'corridor-sdk';
   * const corridor = new Corridor();
   * const response = await corridor.support.downloadAttachment('tic_1', 'att_1');
   * console.log((await response.arrayBuffer()).byteLength);
   * ```
   * Calls `GET /api/v1/support/partner-tickets/{ticketId}/attachments/{attachmentId}/download-url`, then the signed URL.
   */
  async downloadAttachment(ticketId: string, attachmentId: string, options: RequestOptions = {}): Promise<Response> {
    return this.#download('support.downloadAttachment', (each) => this.attachmentUrl(ticketId, attachmentId, each), options);
  }
}
