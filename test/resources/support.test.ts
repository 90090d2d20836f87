import { describe, expect, test } from 'vitest';
import { NotFoundError } from 'corridor-sdk';
import { adapters } from './adapters.ts';

describe.each(adapters)('support.reply over $name', ({ open }) => {
  test('adds a reply to the ticket', async () => {
    await using stage = await open();
    const ticket = stage.platform.tickets.add();
    const response = {
      draftId: 'dra_1',
      actorEmail: 'ops@partner.example',
      bodyHtml: '<p>Here it is – danke 🙏</p>',
      bodyText: 'Here it is – danke 🙏',
    };
    const { data, status } = await stage.corridor.support.reply(ticket.id, response).withResponse();
    expect(status).toBe(201);
    expect(stage.platform.tickets.get(ticket.id)?.replies).toEqual([expect.objectContaining(response)]);
    expect(data.body).toMatchObject({ ticketId: ticket.id, ...response });
  });

  test('accepts a reply with a single field', async () => {
    await using stage = await open();
    const { id } = stage.platform.tickets.add();
    await stage.corridor.support.reply(id, { bodyText: 'Thank you' });
    expect(stage.platform.requests.to('support.reply')[0]?.body).toEqual({ bodyText: 'Thank you' });
  });

  test('reports that there is no such ticket, also for one of another organization', async () => {
    await using stage = await open();
    const other = stage.platform.organization();
    const { id } = other.tickets.add();
    await expect(stage.corridor.support.reply(id, { bodyText: 'Hello' })).rejects.toBeInstanceOf(NotFoundError);
    expect(other.tickets.get(id)?.replies).toEqual([]);
  });
});

describe.each(adapters)('support.attachmentUrl over $name', ({ open }) => {
  test('returns a signed URL and the whole response body', async () => {
    await using stage = await open();
    const { id, attachments } = stage.platform.tickets.add();
    const { url, body } = await stage.corridor.support.attachmentUrl(id, attachments[0]?.id ?? '');
    expect(body).toMatchObject({ url });
    expect(new URL(url).search).not.toBe('');
  });

  test('says that the ticket has no such attachment', async () => {
    await using stage = await open();
    const [first, second] = stage.platform.tickets.addMany(2);
    await expect(
      stage.corridor.support.attachmentUrl(first?.id ?? '', second?.attachments[0]?.id ?? ''),
    ).rejects.toBeInstanceOf(NotFoundError);
  });
});

describe.each(adapters)('support.downloadAttachment over $name', ({ open }) => {
  test('fetches the file, byte for byte', async () => {
    await using stage = await open();
    const content = Uint8Array.from({ length: 512 }, (_, index) => index % 256);
    const { id, attachments } = stage.platform.tickets.add({ attachments: [{ fileName: 'scan.bin', content }] });
    const response = await stage.corridor.support.downloadAttachment(id, attachments[0]?.id ?? '');
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(content);
  });
});
