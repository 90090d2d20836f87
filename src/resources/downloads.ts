import { mapResponse, unusableResponse, type ApiPromise } from '../core/api-promise.js';
import { findDownloadUrl } from '../contract/schema/download-url.js';
import type { Sender } from '../transport/call.js';
import type { Download } from '../transport/download.js';
import type { RequestOptions } from '../transport/request-options.js';

/** The URL of a file. The URL is signed: anyone who has it can read the file, so keep it out of logs. */
export interface DownloadUrl {
  /** The signed URL. Fetch it without credentials, or use `download`. */
  readonly url: string;
  /** The whole response body, which may contain other fields, such as the expiry of the URL. */
  readonly body: unknown;
}

type DownloadEndpoint = 'documents.downloadUrl' | 'support.attachmentUrl';
type Ids = Readonly<Record<string, string>>;

/** Gets the signed URLs of files, and downloads files. */
export class Downloads {
  readonly #sender: Sender;
  readonly #download: Download;

  constructor(sender: Sender, download: Download) {
    this.#sender = sender;
    this.#download = download;
  }

  /** Gets the signed URL of a file. Assumed: A-4, its place in the response. */
  url(endpoint: DownloadEndpoint, ids: Ids, options: RequestOptions): ApiPromise<DownloadUrl> {
    return mapResponse(this.#sender.send(endpoint, { ids }, options), (body, metadata) => {
      const url = findDownloadUrl(body);
      if (url !== undefined) return { url, body };
      const issues = [{ path: '', message: 'must contain exactly one absolute http(s) URL' }];
      const message = ': the response must contain exactly one absolute http(s) URL. Report this to the platform';
      throw unusableResponse(endpoint, message, issues, metadata, this.#sender.redactBody(body));
    });
  }

  /** Gets the signed URL of a file, and fetches it; `method` names the call in errors. */
  fetch(method: string, endpoint: DownloadEndpoint, ids: Ids, options: RequestOptions): Promise<Response> {
    return this.#download(method, (each) => this.url(endpoint, ids, each), options);
  }
}
