import { bindMethods } from '../core/bind-methods.js';
import { mapResponse, type ApiPromise } from '../core/api-promise.js';
import type { RequestOptions } from '../transport/request-options.js';
import type { Downloads, DownloadUrl } from './downloads.js';
import type { Sender } from '../transport/call.js';

/** Documents: `corridor.documents`. */
export class Documents {
  readonly #sender: Sender;
  readonly #downloads: Downloads;

  /** @internal */
  constructor(sender: Sender, downloads: Downloads) {
    this.#sender = sender;
    this.#downloads = downloads;
    const read = 'documents.download(id)';
    bindMethods(this, { get: read, retrieve: read });
  }

  /**
   * Gets a signed URL to download a document.
   *
   * @throws NotFoundError if the organization has no such document; InvalidResponseError if the response does not
   * contain exactly one URL.
   * @example
   * ```ts
   * import { Corridor } from 'corridor-sdk';
   * const corridor = new Corridor();
   * const { url } = await corridor.documents.downloadUrl('doc_1');
   * console.log(new URL(url).host);
   * ```
   * Calls `GET /api/v1/documents/{id}`.
   */
  downloadUrl(documentId: string, options: RequestOptions = {}): ApiPromise<DownloadUrl> {
    return this.#downloads.url('documents.downloadUrl', { id: documentId }, options);
  }

  /**
   * Downloads a document: gets its signed URL and fetches it without credentials. The body is a stream without a size
   * limit. `totalTimeout` covers both steps until the body starts. The first step is retried as any read; the file is
   * fetched once.
   *
   * @throws NotFoundError if the organization has no such document; ApiError if the signed URL is rejected; ServerError
   * if the file is temporarily unavailable.
   * @example
   * ```ts
   * import { Corridor } from 'corridor-sdk';
   * const corridor = new Corridor();
   * const response = await corridor.documents.download('doc_1');
   * console.log(response.headers.get('content-type'), (await response.arrayBuffer()).byteLength);
   * ```
   * Calls `GET /api/v1/documents/{id}`, then the signed URL.
   */
  async download(documentId: string, options: RequestOptions = {}): Promise<Response> {
    return this.#downloads.fetch('documents.download', 'documents.downloadUrl', { id: documentId }, options);
  }

  /**
   * Deletes a document. If the response of the first attempt is lost, a 404 on retry counts as deleted.
   *
   * @throws NotFoundError if the organization has no such document.
   * @example
   * ```ts
   * import { Corridor } from 'corridor-sdk';
   * const corridor = new Corridor();
   * await corridor.documents.delete('doc_1');
   * ```
   * Calls `DELETE /api/v1/documents/{id}`.
   */
  delete(documentId: string, options: RequestOptions = {}): ApiPromise<void> {
    return mapResponse(this.#sender.send('documents.delete', { ids: { id: documentId } }, options), () => undefined);
  }
}
