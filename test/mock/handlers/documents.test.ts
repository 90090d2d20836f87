import { Corridor, NotFoundError } from 'corridor-sdk';
import type { MockPlatform } from 'corridor-sdk/mock';
import { describe, expect, test } from 'vitest';
import { platformAtStart } from '../fixture.ts';
import { call } from '../sign.ts';
import { clientOf } from './strict-client.ts';

describe('documents', () => {
  test('are downloaded through a signed URL, without credentials', async () => {
    const platform = platformAtStart();
    const { id } = platform.documents.add({ content: 'Invoice 2026-001', fileName: 'invoice.txt' });
    const { url, body } = await clientOf(platform).documents.downloadUrl(id);
    const download = await platform.fetch(url);
    expect(body).toEqual({ url, expiresAt: '2026-03-01T09:05:00.000Z' });
    expect(url).toMatch(/^https:\/\/api\.corridor\.test\//);
    expect(download.status).toBe(200);
    expect(Object.fromEntries(download.headers)).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'content-disposition': 'attachment; filename="invoice.txt"',
      date: 'Sun, 01 Mar 2026 09:00:00 GMT',
    });
    expect(await download.text()).toBe('Invoice 2026-001');
  });

  test('whose deletion is delayed can be downloaded until then', async () => {
    const platform = platformAtStart();
    const { id } = platform.documents.add();
    const { url } = await clientOf(platform).documents.downloadUrl(id);
    platform.faults.next('documents.delete', { kind: 'late-commit', after: 1000 });
    await expect(
      new Corridor({ ...platform.clientOptions(), maxRetries: 0 }).documents.delete(id),
    ).rejects.toMatchObject({ code: 'connection' });
    expect((await platform.fetch(url)).status).toBe(200);
    platform.clock.advance({ seconds: 1 });
    expect((await platform.fetch(url)).status).toBe(404);
  });

  test('of a payment can be deleted, and the payment keeps their ids', async () => {
    const platform = platformAtStart();
    const { id, documentIds } = platform.payments.add();
    await clientOf(platform).documents.delete(documentIds[0] ?? '');
    expect(platform.documents.all()).toEqual([]);
    expect(platform.payments.get(id)?.documentIds).toEqual(documentIds);
  });

  test('that are passed as bytes are downloaded as the same bytes', async () => {
    const platform = platformAtStart();
    const content = Uint8Array.from({ length: 100_000 }, (_, index) => index % 256);
    const { id } = platform.documents.add({ content, contentType: 'image/png' });
    const download = await clientOf(platform).documents.download(id);
    expect(new Uint8Array(await download.arrayBuffer())).toEqual(content);
    expect(platform.documents.get(id)?.content).toEqual(content);
  });

  test('are small PDFs by default', async () => {
    const platform = platformAtStart();
    const { id, fileName } = platform.documents.add();
    const download = await clientOf(platform).documents.download(id);
    const text = await download.text();
    expect(download.headers.get('content-type')).toBe('application/pdf');
    expect(text).toMatch(/^%PDF-1\.4\n[^]*%%EOF\n$/);
    expect(text).toContain(`(${fileName}) Tj`);
    expect(text.slice(Number(/startxref\n(\d+)/.exec(text)?.[1])).startsWith('xref')).toBe(true);
  });

  test('cannot be downloaded after their deletion, even through an earlier URL', async () => {
    const platform = platformAtStart();
    const corridor = clientOf(platform);
    const { id } = platform.documents.add();
    const { url } = await corridor.documents.downloadUrl(id);
    const { status, body } = await call(platform.clientOptions(), {
      method: 'DELETE',
      path: `/api/v1/documents/${id}`,
    });
    expect({ status, body }).toEqual({ status: 204, body: undefined });
    expect(platform.documents.get(id)).toBeUndefined();
    await expect(corridor.documents.downloadUrl(id)).rejects.toBeInstanceOf(NotFoundError);
    expect((await call(platform.clientOptions(), { method: 'DELETE', path: `/api/v1/documents/${id}` })).status).toBe(
      404,
    );
    expect((await platform.fetch(url)).status).toBe(404);
  });
});

describe('a signed URL', () => {
  const error = async (platform: MockPlatform, url: string): Promise<unknown> => {
    const response = await platform.fetch(url);
    return { status: response.status, body: await response.json() };
  };

  test('expires by the clock of the mock', async () => {
    const platform = platformAtStart();
    const { url } = await clientOf(platform).documents.downloadUrl(platform.documents.add().id);
    platform.clock.advance({ minutes: 4, seconds: 59 });
    expect((await platform.fetch(url)).status).toBe(200);
    platform.clock.advance({ seconds: 8 });
    expect(await error(platform, url)).toEqual({
      status: 403,
      body: { code: 'url_expired', message: "this URL expired 7 s ago on the mock's clock" },
    });
  });

  test('is valid for as long as the option says', async () => {
    const platform = platformAtStart({ urlLifetime: 1 });
    const { body } = await clientOf(platform).documents.downloadUrl(platform.documents.add().id);
    expect(body).toMatchObject({ expiresAt: '2026-03-01T09:00:01.000Z' });
  });

  test.each([
    ['its document', (url: string) => url.replace(/doc_./, 'doc_?')],
    ['its expiry', (url: string) => url.replace(/expires=\d/, 'expires=9')],
    ['its signature', (url: string) => `${url}0`],
    ['its organization', (url: string) => url.replace(/org_\w/, 'org_-')],
    ['no signature', (url: string) => url.replace(/&signature=.*/, '')],
    ['no query', (url: string) => url.replace(/\?.*/, '')],
    ['an invalid encoding', (url: string) => url.replace(/doc_/, '%zz')],
  ])('is rejected with another: %s', async (_, change) => {
    const platform = platformAtStart();
    const { url } = await clientOf(platform).documents.downloadUrl(platform.documents.add().id);
    expect(await error(platform, change(url))).toMatchObject({ status: 403, body: { code: 'bad_url_signature' } });
  });

  test('is logged without an endpoint', async () => {
    const platform = platformAtStart();
    const { url } = await clientOf(platform).documents.downloadUrl(platform.documents.add().id);
    await platform.fetch(url);
    expect(platform.requests.at(-1)).toMatchObject({
      endpoint: undefined,
      organization: platform.id,
      method: 'GET',
      status: 200,
    });
  });
});

describe('support', () => {
  test('replies are added to the ticket', async () => {
    const platform = platformAtStart();
    const ticket = platform.tickets.add({ replies: [{ bodyText: 'First' }] });
    const response = {
      draftId: 'dra_1',
      actorEmail: 'ops@partner.example',
      bodyHtml: '<p>Attached.</p>',
      bodyText: 'Attached.',
    };
    const { data: receipt, status } = await clientOf(platform).support.reply(ticket.id, response).withResponse();
    expect(status).toBe(201);
    expect(receipt.body).toMatchObject({
      id: expect.stringMatching(/^rep_/),
      ticketId: ticket.id,
      createdAt: '2026-03-01T09:00:00.000Z',
      ...response,
    });
    expect(platform.tickets.get(ticket.id)?.replies).toMatchObject([{ bodyText: 'First' }, response]);
  });

  test('replies to a closed ticket are added, and it stays closed', async () => {
    const platform = platformAtStart();
    const { id } = platform.tickets.add({ status: 'CLOSED' });
    await clientOf(platform).support.reply(id, { bodyText: 'Not solved' });
    expect(platform.tickets.get(id)).toMatchObject({ status: 'CLOSED', replies: [{ bodyText: 'Not solved' }] });
  });

  test('attachments are downloaded through a signed URL', async () => {
    const platform = platformAtStart();
    const ticket = platform.tickets.add({
      attachments: [{}, { id: 'att_mine', fileName: 'photo".txt', content: 'hello' }],
    });
    const download = await clientOf(platform).support.downloadAttachment(ticket.id, 'att_mine');
    expect(download.headers.get('content-disposition')).toBe('attachment; filename="photo_.txt"');
    expect(await download.text()).toBe('hello');
  });
});

test('the receipt of a payment with an unusual id can be downloaded', async () => {
  const platform = platformAtStart();
  const { receiptUrl } = platform.payments.add({ id: 'pay_日本', status: 'COMPLETED' });
  const response = await platform.fetch(receiptUrl ?? '');
  expect(response.status).toBe(200);
  expect(response.headers.get('content-disposition')).toMatch(/^attachment; filename="[\x20-\x7e]+"$/);
});
