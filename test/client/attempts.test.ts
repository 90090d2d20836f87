import { describe, expect, test, vi } from 'vitest';
import { ConfigurationError, InvalidResponseError, type CorridorError, type CorridorOptions } from 'corridor-sdk';
import { failureOf } from '../support/failure-of.ts';
import { scripted, unchecked } from '../support/scripted-fetch.ts';

const body = JSON.stringify({ networks: [] });

/** A response in chunks of a few bytes, without a length unless one is declared. */
function chunked(text: string, init: ResponseInit = {}): Response {
  const chunks = text.match(/.{1,7}/g) ?? [];
  const stream = new ReadableStream({
    pull: (controller) => {
      const chunk = chunks.shift();
      if (chunk === undefined) controller.close();
      else controller.enqueue(new TextEncoder().encode(chunk));
    },
  });
  return new Response(stream, init);
}

const calling = (response: Response, options: CorridorOptions = {}) =>
  scripted(() => response, { maxRetries: 0, ...options }).corridor.crypto.networks();

describe('a response of up to maxResponseBytes', () => {
  const declared = { headers: { 'content-length': String(body.length) } };

  test.each([
    ['in one chunk', () => new Response(body)],
    ['in chunks', () => chunked(body)],
    ['with its length', () => chunked(body, declared)],
  ])('is read: %s', async (_, respond) => {
    expect(await calling(respond(), { maxResponseBytes: body.length })).toEqual([]);
    const error = await failureOf(calling(respond(), { maxResponseBytes: body.length - 1 }));
    expect(error).toBeInstanceOf(InvalidResponseError);
    expect(error.message).toContain(`larger than ${body.length - 1} bytes`);
  });

  test('is read although the length says otherwise only if it says less', async () => {
    const options = { maxResponseBytes: 1_000 };
    expect(await calling(chunked(body, { headers: { 'content-length': '1000' } }), options)).toEqual([]);
    const tooLong = failureOf(calling(chunked(body, { headers: { 'content-length': '1001' } }), options));
    expect(await tooLong).toBeInstanceOf(InvalidResponseError);
  });

  test('is canceled if it is larger', async () => {
    const cancel = vi.fn<() => void>();
    const stream = new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(20)), cancel });
    await failureOf(calling(new Response(stream), { maxResponseBytes: 10 }));
    expect(cancel).toHaveBeenCalledOnce();
  });
});

test('the body of an error is read up to a megabyte', async () => {
  const errorOf = async (length: number): Promise<unknown> => {
    const text = JSON.stringify({ message: 'a'.repeat(length - '{"message":""}'.length) });
    return ((await failureOf(calling(new Response(text, { status: 400 })))) as CorridorError & { body: unknown }).body;
  };
  expect(await errorOf(1_048_576)).toBeDefined();
  expect(await errorOf(1_048_577)).toBeUndefined();
});

test('a body that is not UTF-8 is not repaired', async () => {
  const error = await failureOf(calling(new Response(new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x7d]))));
  expect(error).toMatchObject({ code: 'invalid-response', issues: [{ message: 'is not valid UTF-8' }] });
});

describe('the fix of a 401', () => {
  const now = Date.parse('2026-01-01T00:00:00Z');
  const fixAfter = async (seconds: number, status = 401): Promise<string> => {
    const headers = { date: new Date(now + seconds * 1_000).toUTCString() };
    const options = { now: () => now, dialect: { rejectedStatuses: [400] } };
    return (await failureOf(calling(new Response('{}', { status, headers }), options))).message;
  };

  test.each([
    [0, 'check that apiKey'],
    [9, 'check that apiKey'],
    [20, '20 s behind'],
    [-20, '20 s ahead'],
  ])('if the platform’s clock is %i seconds ahead', async (seconds, fix) => {
    expect((await fixAfter(seconds)).toLowerCase()).toContain(fix.toLowerCase());
  });

  test('is of no other status', async () => {
    expect(await fixAfter(20, 400)).not.toContain('clock');
    expect(await fixAfter(0, 403)).not.toContain('apiKey');
  });
});

test('the request id is that of the first header of the dialect that has one', async () => {
  const dialect = { requestIdHeaders: ['x-first', 'x-second', 'x-third'] };
  const headers = { 'x-first': '', 'x-second': 'req-2', 'x-third': 'req-3' };
  const error = await failureOf(calling(new Response('{}', { status: 400, headers }), { dialect }));
  expect(error.requestId).toBe('req-2');
});

test('an API key in a header of an error is masked', async () => {
  const headers = { 'x-echo': `for ${unchecked.apiKey}` };
  const error = await failureOf(calling(new Response('{}', { status: 400, headers })));
  expect((error as CorridorError & { headers: Headers }).headers.get('x-echo')).toBe('for [secret]');
});

test.each(['https://platform.example/a/b', 'https://platform.example/a/b/'])(
  'a token signs the path with that of %s',
  async (baseUrl) => {
    const { corridor, sent } = scripted(() => ({ networks: [] }), { baseUrl });
    await corridor.crypto.networks();
    const [, claims = ''] = (sent[0]?.headers.get('authorization') ?? '').split('.');
    const { uri } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as { uri: string };
    expect(uri).toBe(sent[0]?.url.pathname);
    expect(uri).toMatch(/^\/a\/b\/\w/);
  },
);

test('a fetch that followed a redirect is reported, and its response discarded', async () => {
  const cancel = vi.fn<() => void>();
  const response = Object.defineProperty(new Response(new ReadableStream({ cancel })), 'redirected', { value: true });
  const { corridor } = scripted(() => ({}), { fetch: async () => response });
  const error = await failureOf(corridor.crypto.networks());
  expect(error).toBeInstanceOf(ConfigurationError);
  expect(error.message).toContain('followed a redirect');
  expect(cancel).toHaveBeenCalledOnce();
});

test('a response that arrives after the call was aborted is discarded', async () => {
  const cancel = vi.fn<() => void>();
  const controller = new AbortController();
  const fetch = async (): Promise<Response> => {
    controller.abort();
    return new Response(new ReadableStream({ cancel }));
  };
  const { corridor } = scripted(() => ({}), { fetch });
  expect(await failureOf(corridor.crypto.networks({ signal: controller.signal }))).toMatchObject({ code: 'aborted' });
  await vi.waitFor(() => expect(cancel).toHaveBeenCalledOnce());
});

test('the response of a deletion is not read', async () => {
  const cancel = vi.fn<() => void>();
  const { corridor } = scripted(() => new Response(new ReadableStream({ cancel })));
  expect(await corridor.documents.delete('doc_1')).toBeUndefined();
  expect(cancel).toHaveBeenCalledOnce();
});

test.each([
  [200, undefined],
  [299, undefined],
  [300, 'unknown'],
])('status %i is success, or the outcome is %s', async (status, outcome) => {
  const { corridor } = scripted(() => new Response(body, { status }), { maxRetries: 0 });
  const result = await corridor.crypto.networks().catch((error: unknown) => error);
  expect((result as { outcome?: string }).outcome).toBe(outcome);
});

test('a call that is aborted while it is signed is not sent', async () => {
  const controller = new AbortController();
  const signer = async (): Promise<Uint8Array> => {
    controller.abort();
    return new Uint8Array(256);
  };
  const { corridor, sent } = scripted(() => ({}), { signer });
  const error = await failureOf(corridor.crypto.networks({ signal: controller.signal }));
  expect(error).toMatchObject({ code: 'aborted', outcome: 'not-sent' });
  await new Promise(setImmediate);
  expect(sent).toEqual([]);
});

test('a change without a body has a length of zero', async () => {
  const { corridor, sent } = scripted(() => ({}));
  await corridor.request({ method: 'POST', path: '/v2/things' });
  expect(sent[0]?.headers.get('content-length')).toBe('0');
});
