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
  const response = await fetch(`/__mock/${call}${query}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(etag !== '' && { 'if-none-match': etag }) },
    body: JSON.stringify(args),
  }).catch(() => undefined);
  if (response === undefined)
    throw new ControlCallError(0, 'no_response', 'The server does not respond. Is it still running?');
  if (response.status === 304) return undefined;
  const text = await response.text();
  if (response.ok) return { text, etag: response.headers.get('etag') ?? '' };
  throw errorOf(response.status, text);
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

/**
 * Exchanges the control token in the fragment of the page's URL, if there is one, for a session cookie. Removes it from
 * the address bar and the history first.
 */
export async function startSession(): Promise<void> {
  const [, token] = /^#token=([\w.~-]+)/.exec(location.hash) ?? [];
  if (token === undefined) return;
  history.replaceState(null, '', location.pathname);
  await callControl('session', { token });
}
