import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';
import type { MockHttpRequest, MockHttpResponse } from '../wire/message.js';

/** The size in bytes from which a response is compressed. */
const minCompressed = 2_048;

/**
 * Adds an `etag` to a response of the control API, and compresses it. Returns a 304 without a body if the client
 * already has it, so that a page that reads again what did not change receives nothing.
 */
export async function encodeResponse(
  { headers: requested }: MockHttpRequest,
  response: MockHttpResponse,
): Promise<MockHttpResponse> {
  const { status, body } = response;
  if (status !== 200 || typeof body !== 'string') return response;
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`;
  const headers = { ...response.headers, etag, vary: 'accept-encoding' };
  if (requested['if-none-match'] === etag) return { status: 304, headers: { etag }, body: null };
  const acceptsGzip = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/.test(requested['accept-encoding'] ?? '');
  if (body.length < minCompressed || !acceptsGzip) return { ...response, headers };
  // Off the main thread, and fast rather than small: the server answers the requests of tests meanwhile.
  const compressed = await promisify(gzip)(body, { level: constants.Z_BEST_SPEED });
  return { status, headers: { ...headers, 'content-encoding': 'gzip' }, body: new Uint8Array(compressed) };
}
