import { mapResponse, unusableResponse, type ApiPromise } from '../core/api-promise.js';
import { findDownloadUrl } from '../contract/schema/download-url.js';
import type { ParsedResponse } from '../transport/response.js';

/** The URL of a file. The URL is signed: anyone who has it can read the file, so keep it out of logs. */
export interface DownloadUrl {
  /** The signed URL. Fetch it without credentials, or use `download`. */
  readonly url: string;
  /** The whole response body, which may contain other fields, such as the expiry of the URL. */
  readonly body: unknown;
}

/** Reads the download URL from a response. Assumed: A-4, its place in the response. */
export function toDownloadUrl(
  endpoint: string,
  response: Promise<ParsedResponse<unknown>>,
  { redactBody }: { readonly redactBody: (body: unknown) => unknown },
): ApiPromise<DownloadUrl> {
  return mapResponse(response, (body, metadata) => {
    const url = findDownloadUrl(body);
    if (url !== undefined) return { url, body };
    const issues = [{ path: '', message: 'must contain exactly one absolute http(s) URL' }];
    const message = ': the response must contain exactly one absolute http(s) URL. Report this to the platform';
    throw unusableResponse(endpoint, message, issues, metadata, redactBody(body));
  });
}
