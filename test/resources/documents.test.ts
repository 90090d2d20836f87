import { describe, expect, test } from 'vitest';
import { ApiError, NotFoundError, PermissionError } from 'corridor-sdk';
import { adapters } from './adapters.ts';

describe.each(adapters)('documents.downloadUrl over $name', ({ open }) => {
  test('returns a signed URL and the whole response body', async () => {
    await using stage = await open();
    const { id } = stage.platform.documents.add();
    const { url, body } = await stage.corridor.documents.downloadUrl(id);
    expect(new URL(url).origin).toBe(new URL(stage.platform.baseUrl).origin);
    expect(body).toEqual({ url, expiresAt: expect.any(String) });
  });

  test('reports that there is no such document', async () => {
    await using stage = await open();
    const others = stage.platform.organization().documents.add();
    for (const id of ['doc_none', others.id])
      await expect(stage.corridor.documents.downloadUrl(id)).rejects.toBeInstanceOf(NotFoundError);
  });
});

describe.each(adapters)('documents.download over $name', ({ open }) => {
  test('fetches the file', async () => {
    await using stage = await open();
    const { id } = stage.platform.documents.add({ content: 'Invoice 2026-001', contentType: 'text/plain' });
    const response = await stage.corridor.documents.download(id);
    expect(await response.text()).toBe('Invoice 2026-001');
    expect(response.headers.get('content-type')).toContain('text/plain');
  });

  test('sends no credentials to the signed URL', async () => {
    await using stage = await open();
    const { id } = stage.platform.documents.add();
    const seen: (readonly [path: string, names: string[]])[] = [];
    const corridor = stage.client({
      fetch: (input, init) => {
        const request = new Request(input, init);
        seen.push([new URL(request.url).pathname, [...request.headers.keys()]]);
        return stage.fetch(input, init);
      },
    });
    await (await corridor.documents.download(id)).text();
    const [requested, fetched] = seen;
    expect(requested?.[1]).toEqual(expect.arrayContaining(['authorization', 'x-api-key']));
    expect(fetched?.[0]).toMatch(/^\/downloads\//);
    expect(fetched?.[1]).toEqual([]);
  });

  test('reports that the signed URL was rejected', async () => {
    await using stage = await open({ urlLifetime: 60 });
    const { id } = stage.platform.documents.add();
    const corridor = stage.client({
      fetch: (input, init) => {
        if (String(input).includes('/downloads/')) stage.platform.clock.advance({ minutes: 2 });
        return stage.fetch(input, init);
      },
    });
    const error = corridor.documents.download(id);
    await expect(error).rejects.toBeInstanceOf(PermissionError);
    await expect(error).rejects.toMatchObject({
      endpoint: 'documents.download',
      message: expect.stringContaining('Repeat the call to request a new signed URL') as string,
    });
    await expect(error).rejects.not.toMatchObject({ message: expect.stringContaining('signature') as string });
  });

  test('reports that there is no such document', async () => {
    await using stage = await open();
    await expect(stage.corridor.documents.download('doc_none')).rejects.toMatchObject({
      endpoint: 'documents.downloadUrl',
      status: 404,
    });
  });
});

describe.each(adapters)('documents.delete over $name', ({ open }) => {
  test('deletes a document, for good', async () => {
    await using stage = await open();
    const [first, second] = stage.platform.documents.addMany(2);
    expect(await stage.corridor.documents.delete(first?.id ?? '')).toBeUndefined();
    expect(stage.platform.documents.all()).toEqual([second]);
    await expect(stage.corridor.documents.downloadUrl(first?.id ?? '')).rejects.toBeInstanceOf(NotFoundError);
  });

  test('reports that there is no such document, and does not delete those of others', async () => {
    await using stage = await open();
    const other = stage.platform.organization();
    const { id } = other.documents.add();
    await expect(stage.corridor.documents.delete(id)).rejects.toBeInstanceOf(ApiError);
    expect(other.documents.get(id)).toBeDefined();
  });

  test('returns a response without a body', async () => {
    await using stage = await open();
    const { status, data } = await stage.corridor.documents.delete(stage.platform.documents.add().id).withResponse();
    expect([status, data]).toEqual([204, undefined]);
  });
});
