import { mapResponse, type ApiPromise } from '../core/api-promise.js';
import type { SupportReplyParams } from '../contract/schema/support.js';
import type { Download } from '../transport/download.js';
import type { DownloadedFile, DownloadToOptions, SaveFile } from '../transport/save-file.js';
import type { RequestOptions } from '../transport/request-options.js';
import { toDownloadUrl, type DownloadUrl } from './download-url.js';
import type { ResourceOptions } from '../core/pagination.js';

/** The response to a reply. */
export interface SupportReplyResponse {
  /** The response body; the specification does not define its shape. */
  readonly body: unknown;
}

/** Support tickets: `corridor.support`. */
export class Support {
  readonly #resource: ResourceOptions;
  readonly #download: Download;
  readonly #saveFile: SaveFile;

  /** @internal */
  constructor(resource: ResourceOptions, download: Download, saveFile: SaveFile) {
    this.#resource = resource;
    this.#download = download;
    this.#saveFile = saveFile;
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
    return mapResponse(this.#resource.send('support.reply', { ids: { ticketId }, body: reply }, options), (body) => ({
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
    return toDownloadUrl(
      'support.attachmentUrl',
      this.#resource.send('support.attachmentUrl', { ids: { ticketId, attachmentId } }, options),
      this.#resource,
    );
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
    return this.#download(
      'support.downloadAttachment',
      (each) => this.attachmentUrl(ticketId, attachmentId, each),
      options,
    );
  }

  /**
   * Downloads an attachment of a ticket to a file. The content replaces the file at the path when it is complete: after a failure, the
   * path is as it was before. The file is readable by its owner only. `timeout` also limits the time without any
   * content, and `totalTimeout` covers the requests until the content starts.
   *
   * @throws NotFoundError if there is no such ticket or attachment; ConfigurationError if the path cannot be written; InvalidResponseError if the
   * file is larger than `maxBytes`; ConnectionError if the content ends early; otherwise the errors of `downloadAttachment`.
   * @example
   * ```ts
   * import { Corridor } from 'corridor-sdk';
   * const corridor = new Corridor();
   * const { bytes, contentType } = await corridor.support.downloadAttachmentTo('tic_1', 'att_1', 'statement.pdf');
   * console.log(bytes, contentType);
   * ```
   * Calls `GET /api/v1/support/partner-tickets/{ticketId}/attachments/{attachmentId}/download-url`, then the signed URL.
   */
  async downloadAttachmentTo(
    ticketId: string,
    attachmentId: string,
    path: string,
    options: DownloadToOptions = {},
  ): Promise<DownloadedFile> {
    const fetchFile = (each: RequestOptions): Promise<Response> =>
      this.downloadAttachment(ticketId, attachmentId, each);
    return this.#saveFile('support.downloadAttachmentTo', path, fetchFile, options);
  }
}
