import { Corridor, NotFoundError } from 'corridor-sdk';
import type { MockPlatform } from 'corridor-sdk/mock';
import { describe, expect, test } from 'vitest';
import { platformAtStart } from './fixture.js';
import { call } from './sign.js';

const clientOf = (platform: MockPlatform): Corridor => new Corridor({ ...platform.clientOptions(), validation: 'strict' });

describe('documents', () => {
  test('are downloaded by a signed URL of the platform, without credentials', async () => {
    const platform = platformAtStart();
    const { id } = platform.documents.add({ content: 'Invoice 2026-001', fileName: 'invoice.txt' });
    const { url, body } = await clientOf(platform).documents.downloadUrl(id);
    const download = await platform.fetch(url);
    expect(body).toEqual({ url, expiresAt: '2026-03-01T09:05:00.000Z' });
    expect(url).toMatch(/^https:\/\/api\.corridor\.test\//);
    expect(download.status).toBe(200);
    expect(Object.fromEntries(download.headers)).toMatchObject({
      'content-type': 'text/plain; charset=utf-8', 'content-disposition': 'attachment; filename="invoice.txt"', date: 'Sun, 01 Mar 2026 09:00:00 GMT',
    });
    expect(await download.text()).toBe('Invoice 2026-001');
  });

  test('that are deleted later are no longer downloaded when that time has come', async () => {
    const platform = platformAtStart();
    const { id } = platform.documents.add();
    const { url } = await clientOf(platform).documents.downloadUrl(id);
    platform.faults.next('documents.delete', { kind: 'late-commit', after: 1000 });
    await expect(new Corridor({ ...platform.clientOptions(), retries: 0 }).documents.delete(id)).rejects.toMatchObject({ code: 'connection' });
    expect((await platform.fetch(url)).status).toBe(200);
    platform.clock.advance({ seconds: 1 });
    expect((await platform.fetch(url)).status).toBe(404);
  });

  test('that are given as bytes come back as these bytes', async () => {
    const platform = platformAtStart();
    const content = Uint8Array.from({ length: 100_000 }, (_, index) => index % 256);
    const { id } = platform.documents.add({ content, contentType: 'image/png' });
    const download = await clientOf(platform).documents.download(id);
    expect(new Uint8Array(await download.arrayBuffer())).toEqual(content);
    expect(platform.documents.get(id)?.content).toEqual(content);
  });

  test('are small PDFs where nothing is given', async () => {
    const platform = platformAtStart();
    const { id, fileName } = platform.documents.add();
    const download = await clientOf(platform).documents.download(id);
    const text = await download.text();
    expect(download.headers.get('content-type')).toBe('application/pdf');
    expect(text).toMatch(/^%PDF-1\.4\n[^]*%%EOF\n$/);
    expect(text).toContain(`(${fileName}) Tj`);
    expect(text.slice(Number(/startxref\n(\d+)/.exec(text)?.[1])).startsWith('xref')).toBe(true);
  });

  test('are gone after they were deleted, for the URL that was signed before as well', async () => {
    const platform = platformAtStart();
    const corridor = clientOf(platform);
    const { id } = platform.documents.add();
    const { url } = await corridor.documents.downloadUrl(id);
    const { status, body } = await call(platform.clientOptions(), { method: 'DELETE', path: `/api/v1/documents/${id}` });
    expect({ status, body }).toEqual({ status: 204, body: undefined });
    expect(platform.documents.get(id)).toBeUndefined();
    await expect(corridor.documents.downloadUrl(id)).rejects.toBeInstanceOf(NotFoundError);
    expect((await call(platform.clientOptions(), { method: 'DELETE', path: `/api/v1/documents/${id}` })).status).toBe(404);
    expect((await platform.fetch(url)).status).toBe(404);
  });
});

describe('a signed URL', () => {
  const refusal = async (platform: MockPlatform, url: string): Promise<unknown> => {
    const response = await platform.fetch(url);
    return { status: response.status, body: await response.json() };
  };

  test('expires on the clock of the mock', async () => {
    const platform = platformAtStart();
    const { url } = await clientOf(platform).documents.downloadUrl(platform.documents.add().id);
    platform.clock.advance({ minutes: 4, seconds: 59 });
    expect((await platform.fetch(url)).status).toBe(200);
    platform.clock.advance({ seconds: 8 });
    expect(await refusal(platform, url)).toEqual({ status: 403, body: { code: 'url_expired', message: "this URL expired 7 s ago on the mock's clock" } });
  });

  test('lives as long as the option says', async () => {
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
    ['an encoding that is none', (url: string) => url.replace(/doc_/, '%zz')],
  ])('is refused with another: %s', async (_, change) => {
    const platform = platformAtStart();
    const { url } = await clientOf(platform).documents.downloadUrl(platform.documents.add().id);
    expect(await refusal(platform, change(url))).toMatchObject({ status: 403, body: { code: 'bad_url_signature' } });
  });

  test('stands in the log without an endpoint', async () => {
    const platform = platformAtStart();
    const { url } = await clientOf(platform).documents.downloadUrl(platform.documents.add().id);
    await platform.fetch(url);
    expect(platform.requests.at(-1)).toMatchObject({ endpoint: undefined, organization: platform.id, method: 'GET', status: 200 });
  });
});

describe('support', () => {
  test('replies stand in the ticket', async () => {
    const platform = platformAtStart();
    const ticket = platform.tickets.add({ replies: [{ bodyText: 'First' }] });
    const reply = { draftId: 'dra_1', actorEmail: 'ops@partner.example', bodyHtml: '<p>Attached.</p>', bodyText: 'Attached.' };
    const { data: receipt, status } = await clientOf(platform).support.reply(ticket.id, reply).withResponse();
    expect(status).toBe(201);
    expect(receipt.body).toMatchObject({ id: expect.stringMatching(/^rep_/), ticketId: ticket.id, createdAt: '2026-03-01T09:00:00.000Z', ...reply });
    expect(platform.tickets.get(ticket.id)?.replies).toMatchObject([{ bodyText: 'First' }, reply]);
  });

  test('attachments are downloaded by a signed URL', async () => {
    const platform = platformAtStart();
    const ticket = platform.tickets.add({ attachments: [{}, { id: 'att_mine', fileName: 'photo".txt', content: 'hello' }] });
    const download = await clientOf(platform).support.downloadAttachment(ticket.id, 'att_mine');
    expect(download.headers.get('content-disposition')).toBe('attachment; filename="photo_.txt"');
    expect(await download.text()).toBe('hello');
  });

  test('an attachment of no ticket, or of another, is not there', async () => {
    const platform = platformAtStart();
    const [one, other] = platform.tickets.addMany(2);
    for (const ticketId of ['tic_nobody', one?.id ?? '']) {
      await expect(clientOf(platform).support.attachmentUrl(ticketId, other?.attachments[0]?.id ?? '')).rejects.toBeInstanceOf(NotFoundError);
    }
  });

  test('an unknown ticket takes no reply', async () => {
    await expect(clientOf(platformAtStart()).support.reply('tic_nobody', { bodyText: 'Hello' })).rejects.toMatchObject({ status: 404, body: { code: 'not_found', message: 'there is no such ticket' } });
  });
});

describe('crypto', () => {
  test('payment methods are on networks that are enabled', async () => {
    const platform = platformAtStart();
    const corridor = clientOf(platform);
    const networks = new Set((await corridor.crypto.networks()).map(({ id }) => id));
    const methods = await corridor.crypto.paymentMethods();
    expect(networks.size).toBe(8);
    expect(methods.length).toBeGreaterThan(networks.size);
    for (const { token, network, decimals } of methods) {
      expect(['USDC', 'USDT']).toContain(token);
      expect(networks).toContain(network);
      expect(decimals).toBe(6);
    }
    expect(new Set(methods.map(({ contractAddress }) => contractAddress)).size).toBe(methods.length);
  });
});
