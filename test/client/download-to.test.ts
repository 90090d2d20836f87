import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  ConfigurationError,
  ConnectionError,
  InvalidResponseError,
  NotFoundError,
  type CorridorOptions,
} from 'corridor-sdk';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { failureOf } from '../simulation/failure.js';
import { scripted, type Scripted } from './scripted-fetch.js';

let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'corridor-download-'));
  path = join(folder, 'invoice.pdf');
});

afterEach(() => rm(folder, { recursive: true }));

/** A client whose files have this response. */
function filesOf(respond: () => unknown, options: CorridorOptions = {}): Scripted {
  return scripted(
    ({ url }) => (url.host === 'files.example' ? respond() : { url: 'https://files.example/1' }),
    options,
  );
}

/** A response that breaks off, or never goes on, after its first chunk. */
function partly(afterFirst: (controller: ReadableStreamDefaultController) => void): Response {
  const chunks = [(each: ReadableStreamDefaultController) => each.enqueue(new Uint8Array(1_000)), afterFirst];
  return new Response(new ReadableStream({ pull: (controller) => chunks.shift()?.(controller) }, { highWaterMark: 0 }));
}

describe('documents.downloadTo', () => {
  test('writes the file, which its owner alone can read', async () => {
    const { corridor } = filesOf(() => new Response('content', { headers: { 'content-type': 'application/pdf' } }));
    expect(await corridor.documents.downloadTo('doc_1', path)).toEqual({ bytes: 7, contentType: 'application/pdf' });
    expect(await readFile(path, 'utf8')).toBe('content');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readdir(folder)).toEqual(['invoice.pdf']);
  });

  test('replaces an older file', async () => {
    await writeFile(path, 'an older and longer content');
    const { corridor } = filesOf(() => new Response('content'));
    await corridor.documents.downloadTo('doc_1', path);
    expect(await readFile(path, 'utf8')).toBe('content');
  });

  test('writes an empty file', async () => {
    const { corridor } = filesOf(() => new Response(null));
    expect(await corridor.documents.downloadTo('doc_1', path)).toMatchObject({ bytes: 0 });
    expect(await readFile(path, 'utf8')).toBe('');
  });

  test.each([
    ['is rejected', () => new Response(null, { status: 404 }), {}, NotFoundError],
    ['breaks off', () => partly((each) => each.error(new TypeError('terminated'))), {}, ConnectionError],
    ['is too large', () => new Response('x'.repeat(101)), { maxBytes: 100 }, InvalidResponseError],
  ])('leaves the path as it was if the file %s', async (_what, respond, options, errorClass) => {
    await writeFile(path, 'older');
    const { corridor } = filesOf(respond);
    expect(await failureOf(corridor.documents.downloadTo('doc_1', path, options))).toBeInstanceOf(errorClass);
    expect(await readFile(path, 'utf8')).toBe('older');
    expect(await readdir(folder)).toEqual(['invoice.pdf']);
  });

  test('writes a file of exactly maxBytes', async () => {
    const { corridor } = filesOf(() => new Response('x'.repeat(100)));
    expect(await corridor.documents.downloadTo('doc_1', path, { maxBytes: 100 })).toMatchObject({ bytes: 100 });
  });

  test('leaves nothing if the caller aborts in the middle', async () => {
    const abort = new AbortController();
    const { corridor } = filesOf(() => partly(() => abort.abort()));
    const error = await failureOf(corridor.documents.downloadTo('doc_1', path, { signal: abort.signal }));
    expect(error).toMatchObject({ name: 'AbortedError', endpoint: 'documents.downloadTo' });
    expect(await readdir(folder)).toEqual([]);
  });

  test('ends if no content arrives for the timeout', async () => {
    const timers: (() => void)[] = [];
    const sleep = (): Promise<void> => new Promise((resolve) => timers.push(resolve));
    const expireAll = (): unknown => setImmediate(() => timers.forEach((expire) => expire()));
    const { corridor } = filesOf(() => partly(expireAll), { now: () => 0, sleep });
    const error = await failureOf(corridor.documents.downloadTo('doc_1', path, { timeout: 5_000 }));
    expect(error).toMatchObject({ name: 'TimeoutError', message: expect.stringContaining('for 5000 ms') as unknown });
    expect(await readdir(folder)).toEqual([]);
  });

  test('sends nothing if the folder does not exist', async () => {
    const { corridor, sent } = filesOf(() => new Response('content'));
    const error = await failureOf(corridor.documents.downloadTo('doc_1', join(folder, 'missing', 'invoice.pdf')));
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error.message).toContain('(ENOENT). Check that its folder exists');
    expect(sent).toEqual([]);
  });

  test('does not replace a folder', async () => {
    const { corridor } = filesOf(() => new Response('content'));
    expect(await failureOf(corridor.documents.downloadTo('doc_1', folder))).toBeInstanceOf(ConfigurationError);
    expect(await readdir(folder)).toEqual([]);
  });

  test.each(['', undefined])('the path %j is rejected', async (wrong) => {
    const { corridor, sent } = filesOf(() => new Response('content'));
    const error = await failureOf(corridor.documents.downloadTo('doc_1', wrong as string));
    expect(error.message).toContain('path must be a non-empty string');
    expect(sent).toEqual([]);
  });
});

test('support.downloadAttachmentTo writes an attachment', async () => {
  const { corridor, sent } = filesOf(() => new Response('content'));
  await corridor.support.downloadAttachmentTo('tic_1', 'att_1', path);
  expect(await readFile(path, 'utf8')).toBe('content');
  expect(sent[0]?.url.pathname).toBe('/api/v1/support/partner-tickets/tic_1/attachments/att_1/download-url');
});
