import { linesType } from '../../mock/wire/message.js';
import { selectedOrganization } from './router.js';

/** A call of the control API that failed. */
export class ControlCallError extends Error {
  readonly status: number;

  /** @param status The status of the response; 0 if the server does not respond. */
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

const platformCalls =
  /^(?:organizations?|requests|transitions|behavior|assumptions|due|configure|resetAll|upstream)(?:\.|$)/;

/** Returns the organization that a call is about: the selected one; none for calls of the whole platform. */
export const organizationOf = (call: string): string | undefined =>
  platformCalls.test(call) ? undefined : selectedOrganization();

/** Calls the control API. Throws `ControlCallError` if the server rejects the call or does not respond. */
export async function callControl<T>(call: string, args: readonly unknown[] = [], organization?: string): Promise<T> {
  return (await requestControl(call, args, organization)).json() as Promise<T>;
}

/**
 * Calls the control API as `callControl` does, and returns the response; one of 304 for a result with the passed
 * `etag`.
 */
export async function requestControl(
  call: string,
  args: readonly unknown[],
  organization = organizationOf(call),
  etag = '',
): Promise<Response> {
  const query = organization === undefined ? '' : `?organization=${encodeURIComponent(organization)}`;
  const headers = { 'content-type': 'application/json', ...(etag !== '' && { 'if-none-match': etag }) };
  return sendControl(`${call}${query}`, headers, JSON.stringify(args));
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
  body: string | Blob | null = null,
): Promise<Response> {
  const response = await fetch(`/__mock/${target}`, { method: 'POST', headers, body }).catch(() => undefined);
  if (response === undefined) throw new ControlCallError(0, 'The server does not respond. Is it still running?');
  if (response.ok || response.status === 304) return response;
  // A proxy may have sent something else than the control API does.
  const { message = `The server responded with ${response.status}.` } = Object(
    await response.json().catch(() => undefined),
  ) as { readonly message?: string };
  throw new ControlCallError(response.status, message);
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
