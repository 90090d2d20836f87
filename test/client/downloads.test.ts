import { getEventListeners } from 'node:events';
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import {
  AbortedError,
  ApiError,
  ConnectionError,
  Corridor,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ServerError,
  TimeoutError,
  type CorridorOptions,
} from 'corridor-sdk';
import { failureOf } from '../support/failure-of.ts';
import { virtualOptions, VirtualTime } from '../support/virtual-time.ts';
import { scripted, unchecked, type Scripted, type Sent } from '../support/scripted-fetch.ts';

const signedUrl = 'https://files.example/invoice.pdf?signature=signature-of-the-tests';

/** A client whose documents have a signed URL, with the responses of that URL. */
function filesOf(respond: (sent: Sent) => unknown, options: CorridorOptions = {}): Scripted {
  return scripted((sent) => (sent.url.host === 'files.example' ? respond(sent) : { url: signedUrl }), options);
}

/** Timers that are fired by hand. */
function timers() {
  const waiting: { readonly milliseconds: number; readonly goOff: () => void }[] = [];
  const options: CorridorOptions = {
    now: () => 0,
    sleep: (milliseconds) => new Promise((goOff) => waiting.push({ milliseconds, goOff })),
  };
  return {
    options,
    expire: (limit: number) =>
      waiting.filter(({ milliseconds }) => milliseconds === limit).forEach(({ goOff }) => goOff()),
  };
}

describe('a download', () => {
  test('requests the signed URL, then fetches it without the headers of the SDK', async () => {
    const { corridor, sent } = filesOf(() => new Response('content'));
    const response = await corridor.documents.download('doc_1', { headers: { 'x-trace': 'abc' } });
    expect(await response.text()).toBe('content');
    expect(sent.map(({ url, headers }) => [url.href, [...headers.keys()].toSorted()])).toEqual([
      [
        'https://platform.example/api/v1/documents/doc_1',
        ['accept', 'authorization', 'user-agent', 'x-api-key', 'x-trace'],
      ],
      [signedUrl, []],
    ]);
  });

  test('has no size limit', async () => {
    const { corridor } = filesOf(() => new Response('x'.repeat(5_000)), { maxResponseBytes: 100 });
    expect((await (await corridor.documents.download('doc_1')).text()).length).toBe(5_000);
  });

  test.each([
    [403, PermissionError],
    [404, NotFoundError],
    [410, ApiError],
  ] as const)('that is rejected with %i reports it and is not retried', async (status, errorClass) => {
    const { corridor, sent } = filesOf(() => new Response('<Error>signature-of-the-tests</Error>', { status }));
    const error = await failureOf(corridor.support.downloadAttachment('tic_1', 'att_1'));
    expect(error).toBeInstanceOf(errorClass);
    expect(error).toMatchObject({
      endpoint: 'support.downloadAttachment',
      status,
      attempts: [{ attempt: 1, status, delay: 0 }],
    });
    expect(error.message).toMatch(/\. Repeat the call to request a new signed URL, because this one may have expired$/);
    expect(sent).toHaveLength(2);
  });

  test.each([
    [429, RateLimitError],
    [500, ServerError],
    [501, ServerError],
    [503, ServerError],
  ] as const)('that fails with %i does not blame the URL and reports retryAfterMs', async (status, errorClass) => {
    const { corridor, sent } = filesOf(() => new Response('busy', { status, headers: { 'retry-after': '7' } }));
    const error = await failureOf(corridor.documents.download('doc_1', { maxRetries: 5 }));
    expect(error).toBeInstanceOf(errorClass);
    expect(error).toMatchObject({
      endpoint: 'documents.download',
      status,
      retryAfterMs: 7_000,
      attempts: [{ attempt: 1, status, delay: 0 }],
    });
    expect(error.message).toMatch(/^documents\.download failed with status \d+ \(/);
    expect(error.message).toMatch(/\. Repeat the call later, because the file is temporarily unavailable$/);
    expect(sent).toHaveLength(2);
  });

  test("reads the date of a Retry-After by the platform's clock", async () => {
    const now = Date.parse('2026-03-01T12:00:00Z');
    const dateIn = (seconds: number) => new Date(now + 3_600_000 + seconds * 1_000).toUTCString();
    const { corridor } = scripted(
      ({ url }) =>
        url.host === 'files.example'
          ? new Response('busy', { status: 503, headers: { 'retry-after': dateIn(7) } })
          : Response.json({ url: signedUrl }, { headers: { date: dateIn(0) } }),
      { now: () => now },
    );
    expect(await failureOf(corridor.documents.download('doc_1'))).toMatchObject({ status: 503, retryAfterMs: 7_000 });
  });

  test('whose host cannot be resolved does not blame baseUrl', async () => {
    const { corridor } = filesOf(() => {
      throw Object.assign(new TypeError('fetch failed'), {
        cause: Object.assign(new Error('getaddrinfo'), { code: 'ENOTFOUND', syscall: 'getaddrinfo' }),
      });
    });
    const { message } = await failureOf(corridor.documents.download('doc_1'));
    expect(message).toContain('documents.download to the signed URL: the host name could not be resolved (ENOTFOUND)');
    expect(message).toMatch(/\. Check the host of the signed URL and DNS$/);
  });

  test('has the rest of its total timeout for the file', async () => {
    const time = new VirtualTime();
    const slowly: typeof globalThis.fetch = async (input) => {
      if (String(input) === signedUrl) return new Promise(() => {});
      await time.wait(700);
      return Response.json({ url: signedUrl });
    };
    const corridor = new Corridor({ ...unchecked, ...virtualOptions(time, slowly) });
    const began = time.now();
    const error = await time.run(() => failureOf(corridor.documents.download('doc_1', { totalTimeout: 1_000 })));
    expect(error).toMatchObject({ code: 'timeout', endpoint: 'documents.download' });
    expect(error.message).toContain('exceeded its totalTimeout of 1000 ms while waiting for the file');
    expect(time.now() - began).toBe(1_000);
  });

  test('whose connection fails says so', async () => {
    const reset = Object.assign(new Error(`cannot reach ${signedUrl}`), { code: 'ECONNRESET' });
    const { corridor } = filesOf(() => Promise.reject(new TypeError('fetch failed', { cause: reset })));
    const error = await failureOf(corridor.documents.download('doc_1'));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({
      endpoint: 'documents.download',
      attempts: [{ attempt: 1, errorType: 'ECONNRESET', delay: 0 }],
    });
  });

  test.each(['timeout', 'totalTimeout'] as const)('that takes longer than its %s ends', async (limit) => {
    const { options, expire } = timers();
    const { corridor, sent } = filesOf(() => {
      expire(7);
      return new Promise(() => {});
    }, options);
    const error = await failureOf(corridor.documents.download('doc_1', { [limit]: 7 }));
    expect(error).toBeInstanceOf(TimeoutError);
    expect(error.message).toContain(`exceeded its ${limit} of 7 ms while waiting for the file`);
    expect(sent[1]?.signal.aborted).toBe(true);
  });

  test('ends with the caller’s signal while it waits', async () => {
    const controller = new AbortController();
    const reason = new Error('enough');
    const { corridor, sent } = filesOf(() => {
      controller.abort(reason);
      return new Promise(() => {});
    });
    const error = await failureOf(corridor.documents.download('doc_1', { signal: controller.signal }));
    expect(error).toBeInstanceOf(AbortedError);
    expect(error).toMatchObject({ cause: reason, endpoint: 'documents.download' });
    expect(sent[1]?.signal.aborted).toBe(true);
  });

  test('accepts a signal that is not the runtime’s own', async () => {
    const signal = Object.assign(new EventTarget(), { aborted: false, reason: undefined as unknown });
    const { corridor, sent } = filesOf(() => new Response('content'));
    await corridor.documents.download('doc_1', { signal: signal as AbortSignal });
    Object.assign(signal, { aborted: true, reason: 'closed' }).dispatchEvent(new Event('abort'));
    expect(sent[1]?.signal).toMatchObject({ aborted: true, reason: 'closed' });
  });

  test('adds one listener to such a signal, however many downloads it has', async () => {
    const signal = Object.assign(new EventTarget(), { aborted: false }) as AbortSignal;
    const { corridor, sent } = filesOf(() => new Response('content', { status: sent.length > 10 ? 500 : 200 }));
    for (let count = 0; count < 10; count += 1)
      await Promise.allSettled([corridor.documents.download('doc_1', { signal })]);
    expect(sent).toHaveLength(20);
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
  });

  test('can still be ended by the caller’s signal while its body is read', async () => {
    const controller = new AbortController();
    const { corridor, sent } = filesOf(
      () => new Response(new ReadableStream({ start: (stream) => stream.enqueue(new TextEncoder().encode('half')) })),
    );
    const response = await corridor.documents.download('doc_1', { signal: controller.signal });
    expect([response.status, sent[1]?.signal.aborted]).toEqual([200, false]);
    controller.abort();
    expect(sent[1]?.signal.aborted).toBe(true);
  });

  test('does not start if there is no URL to fetch', async () => {
    const { corridor, sent } = scripted(() => ({ url: null }));
    expect(await failureOf(corridor.documents.download('doc_1'))).toMatchObject({
      code: 'invalid-response',
      endpoint: 'documents.downloadUrl',
    });
    expect(sent).toHaveLength(1);
  });

  test('never shows the signed URL in an error', async () => {
    const faults = [
      () => new Response('', { status: 403 }),
      () => Promise.reject(new TypeError(`fetch failed: ${signedUrl}`, { cause: new Error(signedUrl) })),
    ];
    for (const fault of faults) {
      const error = await failureOf(filesOf(fault).corridor.documents.download('doc_1'));
      expect(`${inspect(error, { depth: 10, showHidden: true })} ${JSON.stringify(error)}`).not.toContain(
        'signature-of-the-tests',
      );
    }
  });
});
