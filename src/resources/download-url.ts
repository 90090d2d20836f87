import { callOf, type ApiCall } from '../api-call.js';
import { downloadUrlIn } from '../contract/documents.js';
import { masked } from '../contract/sensitive.js';
import { InvalidResponseError } from '../errors.js';
import type { Answer } from '../transport/answer.js';

/** Where a file can be downloaded. The URL is signed: whoever has it can read the file, so keep it out of logs. */
export interface DownloadUrl {
  /** The signed URL. Fetch it without credentials, or let `download` do it. */
  readonly url: string;
  /** The whole answer, for what else the platform tells, such as when the URL expires. */
  readonly body: unknown;
}

/** Reads the answer of an endpoint that gives a download URL. Assumed: A-4, where in the answer it stands. */
export function downloadUrlOf(endpoint: string, answer: Promise<Answer<unknown>>): ApiCall<DownloadUrl> {
  return callOf(answer, (body, { attempts, requestId }) => {
    const url = downloadUrlIn(body);
    if (url !== undefined) return { url, body };
    const issues = [{ path: '', message: 'must hold exactly one absolute http(s) URL' }];
    throw new InvalidResponseError(`${endpoint}: the answer must hold exactly one absolute http(s) URL, and it holds none or several`, {
      outcome: 'applied', endpoint, attempts, requestId, issues, body: masked(body),
    });
  });
}
