import { findDownload } from '../records/downloads.js';
import type { MockHttpResponse } from '../wire/message.js';
import type { MockFault } from '../faults/fault.js';
import { rejectionHeaders } from '../faults/apply.js';
import { HttpError } from '../wire/http-error.js';
import { statusOf } from '../base/error-statuses.js';
import type { RecordedRequestDraft } from '../wire/request-log.js';
import type { PlatformState } from '../state/platform.js';
import type { ResolvedBehavior } from '../base/options.js';

/** A request while the platform handles it. */
export interface RequestContext {
  readonly platform: PlatformState;
  readonly entry: RecordedRequestDraft;
  /** The active fault. */
  fault: MockFault | undefined;
  /** Whether the state that the request was sent to no longer exists. */
  isDiscarded: boolean;
}

/** Returns the platform's time for a request, in milliseconds since the epoch. */
export function clockOf({ platform, fault }: RequestContext): number {
  return platform.clock.now() + (fault?.kind === 'clock-skew' ? fault.seconds * 1000 : 0);
}

function headersOf(context: RequestContext): Record<string, string> {
  const [requestIdHeader = 'x-request-id'] = context.platform.options.dialect.requestIdHeaders; // Assumed: A-13
  return { date: new Date(clockOf(context)).toUTCString(), [requestIdHeader]: context.entry.requestId };
}

/** Creates a JSON response, corrupted if the active fault says so. */
export function jsonResponse(
  context: RequestContext,
  status: number,
  result: unknown,
  type = 'application/json',
): MockHttpResponse {
  const { fault, entry } = context;
  const replaced = fault?.kind === 'replace-body' ? fault : undefined;
  const text = replaced?.body ?? (result === undefined ? '' : JSON.stringify(result));
  // A fault may add a body, which a 204 cannot have.
  entry.status = status === 204 && text !== '' ? 200 : status;
  const headers = headersOf(context);
  if (text === '') return { status, headers, body: null };
  return { status: entry.status, headers: { ...headers, 'content-type': replaced?.contentType ?? type }, body: text };
}

/** Creates an error response and records it. */
export function errorResponse(context: RequestContext, error: HttpError): MockHttpResponse {
  const { entry, fault, platform } = context;
  const { code, message, issues, retryAfter } = error;
  const status = statusOf(error, platform.options.errorStatuses);
  entry.error = { status, code, message };
  entry.issues = issues;
  const { body, contentType } = formatErrorBody(platform.options.errorBody, { status, code, message, issues });
  const response =
    fault?.kind === 'status' && fault.body !== undefined
      ? plannedResponse(context, status, fault.body)
      : jsonResponse(context, status, body, contentType);
  const delay = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
  return {
    ...response,
    headers: { ...response.headers, ...delay, ...(fault !== undefined && rejectionHeaders(fault)) },
  };
}

/** Creates a response with the body of a planned fault: a string as it is, any other JSON serialized. */
function plannedResponse(context: RequestContext, status: number, body: unknown): MockHttpResponse {
  if (typeof body !== 'string') return jsonResponse(context, status, body);
  context.entry.status = status;
  return body === ''
    ? { status, headers: headersOf(context), body: null }
    : { status, headers: { ...headersOf(context), 'content-type': 'text/plain; charset=utf-8' }, body };
}

/** Creates the response of a signed URL. Throws an `HttpError` if the URL is invalid or the file does not exist. */
export function downloadResponse(context: RequestContext, path: string, search: string): MockHttpResponse {
  const found = findDownload(context.platform, path, new URLSearchParams(search));
  if ('code' in found) throw new HttpError(found.status, found.code, found.message);
  const { organization, file } = found;
  context.entry.organization = organization.id;
  context.entry.status = 200;
  const disposition = `attachment; filename="${file.fileName.replace(/[^\x20-\x7e]|["\\]/g, '_')}"`;
  return {
    status: 200,
    headers: { ...headersOf(context), 'content-type': file.contentType, 'content-disposition': disposition },
    body: file.content,
  };
}

/** An error body and its media type. */
interface ErrorBodyFormat {
  readonly body: object;
  readonly contentType: string;
}

const titles: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  409: 'Conflict',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  422: 'Unprocessable Content',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
};

/** Formats an error in one of the common shapes. Assumed: A-6. */
function formatErrorBody(
  shape: ResolvedBehavior['errorBody'],
  { status, code, message, issues }: Pick<HttpError, 'status' | 'code' | 'message' | 'issues'>,
): ErrorBodyFormat {
  const details = issues.length === 0 ? {} : { issues };
  const title = titles[status] ?? `Status ${status}`;
  const json = (body: object): ErrorBodyFormat => ({ body, contentType: 'application/json' });
  switch (shape) {
    case 'plain':
      return json({ code, message, ...details });
    case 'nested':
      return json({ error: { code, message, ...details } });
    case 'status-code':
      return json({ statusCode: status, message, error: title, ...details });
    case 'problem+json':
      return {
        body: { type: 'about:blank', title, status, detail: message, code, ...details },
        contentType: 'application/problem+json',
      };
    default:
      return shape satisfies never;
  }
}
