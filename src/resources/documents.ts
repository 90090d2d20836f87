import { mapResponse, type ApiPromise } from '../core/api-promise.js';
import type { Download } from '../transport/download.js';
import type { DownloadedFile, DownloadToOptions, SaveFile } from '../transport/save-file.js';
import type { RequestOptions } from '../transport/request-options.js';
import { toDownloadUrl, type DownloadUrl } from './download-url.js';
import type { ResourceOptions } from '../core/pagination.js';

/** Documents: `corridor.documents`. */
export class Documents {
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
    return toDownloadUrl(
      'documents.downloadUrl',
      this.#resource.send('documents.downloadUrl', { ids: { id: documentId } }, options),
      this.#resource,
    );
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
    return this.#download('documents.download', (each) => this.downloadUrl(documentId, each), options);
  }

  /**
   * Downloads a document to a file. The content replaces the file at the path when it is complete: after a failure, the
   * path is as it was before. The file is readable by its owner only. `timeout` also limits the time without any
   * content, and `totalTimeout` covers the requests until the content starts.
   *
   * @throws NotFoundError if the organization has no such document; ConfigurationError if the path cannot be written; InvalidResponseError if the
   * file is larger than `maxBytes`; ConnectionError if the content ends early; otherwise the errors of `download`.
   * @example
   * ```ts
   * import { Corridor } from 'corridor-sdk';
   * const corridor = new Corridor();
   * const { bytes, contentType } = await corridor.documents.downloadTo('doc_1', 'invoice.pdf');
   * console.log(bytes, contentType);
   * ```
   * Calls `GET /api/v1/documents/{id}`, then the signed URL.
   */
  async downloadTo(documentId: string, path: string, options: DownloadToOptions = {}): Promise<DownloadedFile> {
    const fetchFile = (each: RequestOptions): Promise<Response> => this.download(documentId, each);
    return this.#saveFile('documents.downloadTo', path, fetchFile, options);
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
    return mapResponse(this.#resource.send('documents.delete', { ids: { id: documentId } }, options), () => undefined);
  }
}
