import { callOf, type ApiCall } from '../api-call.js';
import type { Download } from '../transport/download.js';
import type { RequestOptions } from '../transport/request.js';
import { downloadUrlOf, type DownloadUrl } from './download-url.js';
import type { ResourceOptions } from './list.js';

/** Documents: `corridor.documents`. */
export class Documents {
  readonly #resource: ResourceOptions;
  readonly #download: Download;

  /** Made by the client. */
  constructor(resource: ResourceOptions, download: Download) {
    this.#resource = resource;
    this.#download = download;
  }

  /**
   * Gets a signed URL from which a document can be downloaded.
   *
   * @throws NotFoundError where the organization has no such document; InvalidResponseError where the answer holds no URL, or several.
   * @example
   * ```ts
   * import { Corridor } from 'corridor-sdk';
   * const corridor = new Corridor();
   * const { url } = await corridor.documents.downloadUrl('doc_1');
   * console.log(new URL(url).host);
   * ```
   * Calls `GET /api/v1/documents/{id}`.
   */
  downloadUrl(documentId: string, options: RequestOptions = {}): ApiCall<DownloadUrl> {
    return downloadUrlOf('documents.downloadUrl', this.#resource.send('documents.downloadUrl', { ids: { id: documentId } }, options));
  }

  /**
   * Downloads a document: gets its signed URL and fetches that with none of our credentials. The body is yours to read, and has no size limit.
   * `deadline` bounds both steps together, until the body begins. The first is retried as any read; the file is fetched once.
   *
   * @throws NotFoundError where the organization has no such document; ApiError where the signed URL is refused, or ServerError where the file cannot be had for now.
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
    return this.#download('documents.download', (each) => this.downloadUrl(documentId, each), options);
  }

  /**
   * Deletes a document. Repeated after a lost answer, a 404 counts as deleted.
   *
   * @throws NotFoundError where the organization has no such document.
   * @example
   * ```ts
   * import { Corridor } from 'corridor-sdk';
   * const corridor = new Corridor();
   * await corridor.documents.delete('doc_1');
   * ```
   * Calls `DELETE /api/v1/documents/{id}`.
   */
  delete(documentId: string, options: RequestOptions = {}): ApiCall<void> {
    return callOf(this.#resource.send('documents.delete', { ids: { id: documentId } }, options), () => undefined);
  }
}
