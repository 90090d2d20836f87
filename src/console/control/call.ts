import { linesType } from '../../mock/wire/message.js';

/** A call of the control API that failed. */
export class ControlCallError extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** Calls the control API. Throws `ControlCallError` if the server rejects the call or does not respond. */
export async function callControl<T>(
  call: string,
  args: readonly unknown[] | object = [],
  organization?: string,
): Promise<T> {
  const response = await readControl(call, args, organization);
  return JSON.parse(response?.text ?? 'null') as T;
}

/**
 * Calls the control API as `callControl` does, and returns the result as JSON text with its `etag`; undefined if it is
 * the result with the passed `etag`.
 */
export async function readControl(
  call: string,
  args: readonly unknown[] | object = [],
  organization?: string,
  etag = '',
): Promise<{ readonly text: string; readonly etag: string } | undefined> {
  const query = organization === undefined ? '' : `?organization=${encodeURIComponent(organization)}`;
  const headers = { 'content-type': 'application/json', ...(etag !== '' && { 'if-none-match': etag }) };
  const response = await sendControl(`${call}${query}`, headers, JSON.stringify(args));
  if (response.status === 304) return undefined;
  return { text: await response.text(), etag: response.headers.get('etag') ?? '' };
}

/** Reads a snapshot as lines, because a large one exceeds the longest string. */
export async function readSnapshot(): Promise<Blob> {
  return (await sendControl('snapshot', { accept: linesType })).blob();
}

/** Restores a snapshot from its lines. */
export async function restoreSnapshot(lines: Blob): Promise<void> {
  await sendControl('restore', { 'content-type': linesType }, lines);
}

async function sendControl(
  target: string,
  headers: Readonly<Record<string, string>>,
  body?: string | Blob,
): Promise<Response> {
  const init = { method: 'POST', headers, ...(body !== undefined && { body }) };
  const response = await fetch(`/__mock/${target}`, init).catch(() => undefined);
  if (response === undefined)
    throw new ControlCallError(0, 'no_response', 'The server does not respond. Is it still running?');
  if (response.ok || response.status === 304) return response;
  throw errorOf(response.status, await response.text());
}

function errorOf(status: number, text: string): ControlCallError {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    // Not a response of the control API.
  }
  const { code = 'error', message = `The server responded with ${status}.` } = Object(body) as {
    readonly code?: string;
    readonly message?: string;
  };
  return new ControlCallError(status, code, message);
}

/** Exchanges the control token for a session cookie. */
export async function signIn(token: string): Promise<void> {
  await sendControl('session', { authorization: `Bearer ${encodeURIComponent(token)}` });
}

/**
 * Exchanges the control token in the fragment of the page's URL, if there is one, for a session cookie. Removes it from
 * the address bar and the history first.
 */
export async function startSession(): Promise<void> {
  const [, token] = /^#token=([\w.~-]+)/.exec(location.hash) ?? [];
  if (token === undefined) return;
  history.replaceState(null, '', location.pathname);
  await signIn(token);
}
