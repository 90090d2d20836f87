import { download } from './downloads.js';
import { errorBodyOf } from './error-shapes.js';
import type { Reply } from './exchange.js';
import type { MockFault } from './fault.js';
import { refusalHeaders } from './fault-effects.js';
import { Refusal } from './refusal.js';
import type { OpenRequest } from './requests.js';
import { spoiledText } from './spoiled-answer.js';
import type { PlatformState } from './state.js';

/** A request on its way through the platform. */
export interface Handling {
  readonly platform: PlatformState;
  readonly entry: OpenRequest;
  /** The fault it meets. */
  fault: MockFault | undefined;
}

/** The platform's time for a request, in milliseconds since the epoch. */
export function clockOf({ platform, fault }: Handling): number {
  return platform.clock.now() + (fault?.kind === 'clock-skew' ? fault.seconds * 1000 : 0);
}

function headersOf(handling: Handling): Record<string, string> {
  const [requestIdHeader = 'x-request-id'] = handling.platform.options.dialect.requestIdHeaders; // Assumed: A-13
  return { date: new Date(clockOf(handling)).toUTCString(), [requestIdHeader]: handling.entry.requestId };
}

/** An answer in JSON, or what a fault makes of it. */
export function jsonReply(handling: Handling, status: number, result: unknown, type = 'application/json'): Reply {
  const { text, contentType = type } = spoiledText(handling.fault, result === undefined ? '' : JSON.stringify(result));
  // What has a body cannot have the status of an answer without one.
  handling.entry.status = status === 204 && text !== '' ? 200 : status;
  const headers = headersOf(handling);
  if (text === '') return { status, headers, body: null };
  return { status: handling.entry.status, headers: { ...headers, 'content-type': contentType }, body: text };
}

/** The answer to a request that is refused. */
export function refusalReply(handling: Handling, refusal: Refusal): Reply {
  const { entry, fault, platform } = handling;
  const { status, code, message, issues, retryAfter } = refusal;
  entry.refusal = { status, code, message };
  entry.issues = issues;
  const { body, contentType } = errorBodyOf(platform.options.errorBody, refusal);
  const reply = fault?.kind === 'status' && fault.body !== undefined ? jsonReply(handling, status, fault.body) : jsonReply(handling, status, body, contentType);
  const waiting = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
  return { ...reply, headers: { ...reply.headers, ...waiting, ...(fault !== undefined && refusalHeaders(fault)) } };
}

/** The file behind a signed URL. Throws a `Refusal` where it is not there, or the URL not good. */
export function downloadReply(handling: Handling, path: string, search: string): Reply {
  const found = download(handling.platform, path, new URLSearchParams(search));
  if ('code' in found) throw new Refusal(found.status, found.code, found.message);
  const { organization, file } = found;
  handling.entry.organization = organization.id;
  handling.entry.status = 200;
  const disposition = `attachment; filename="${file.fileName.replace(/["\\]/g, '_')}"`;
  return { status: 200, headers: { ...headersOf(handling), 'content-type': file.contentType, 'content-disposition': disposition }, body: file.content };
}
