/**
 * Returns whether the runtime's own fetch is known to repeat a request without a body if the connection breaks before
 * the response, as in Bun 1.4, Deno 2.9 and browsers.
 */
export function repeatsReads(): boolean {
  return ['Bun', 'Deno', 'document'].some((name) => Object.hasOwn(globalThis, name));
}

/**
 * Returns whether a request can have a stream as its body together with a `content-length` header. Browsers cannot:
 * some do not support request streams, the others send them over HTTP/2 only, and all of them set `content-length`
 * themselves.
 */
export function sendsStreams(): boolean {
  try {
    const init = { method: 'POST', headers: { 'content-length': '0' }, body: new Blob([]).stream(), duplex: 'half' };
    const { body, headers } = new Request('https://platform.invalid', init);
    return body instanceof ReadableStream && headers.has('content-length');
  } catch {
    return false;
  }
}
