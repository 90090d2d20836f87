import { Corridor } from 'corridor-sdk';
import { describe, expect, test } from 'vitest';
import { platformAtStart, start } from '../fixture.ts';

const kinds = ['customers', 'beneficiaries', 'persons', 'documents', 'quotes', 'payments', 'tickets'] as const;

describe('update', () => {
  test('of a customer sets its status and writes its activity', async () => {
    const platform = platformAtStart();
    const { id } = platform.customers.add({ status: 'REJECTED' });
    expect(platform.customers.update(id, { companyName: 'Acme', status: 'APPROVED' })).toMatchObject({
      companyName: 'Acme',
      status: 'APPROVED',
      updatedAt: start,
    });
    const corridor = new Corridor(platform.clientOptions());
    expect(await corridor.customers.activity(id)).toMatchObject([{ fromStatus: 'REJECTED', toStatus: 'APPROVED' }]);
  });

  test('of a beneficiary edits its bank details and increments its version; authorizations keep the old ones', () => {
    const platform = platformAtStart();
    const { id, beneficiaryId } = platform.payments.add();
    const changed = platform.beneficiaries.update(beneficiaryId, { accountNumber: '4711' });
    expect(changed).toMatchObject({ accountNumber: '4711', version: 2 });
    expect(platform.payments.get(id)?.authorization).toMatchObject({ beneficiaryVersion: 1 });
    expect(platform.payments.get(id)?.authorization.destination?.accountNumber).not.toBe('4711');
  });

  test('of a payment sets any status and field', () => {
    const platform = platformAtStart();
    const { id } = platform.payments.add({ status: 'CANCELLED' });
    expect(
      platform.payments.update(id, { status: 'PROCESSING', receiptUrl: 'https://receipts.example/1' }),
    ).toMatchObject({ status: 'PROCESSING', receiptUrl: 'https://receipts.example/1' });
    expect(() => platform.payments.update(id, { beneficiary: { status: 'SUSPENDED' } })).toThrow(
      'payments.update: beneficiary cannot be changed. Call beneficiaries.update.',
    );
  });

  test('of a quote sets its fields and keeps the others, its price included', () => {
    const platform = platformAtStart();
    const quote = platform.quotes.add({ paymentAmount: '100.00', paymentCurrencyCode: 'USD' });
    const changes = { paymentAmount: '200.00', expiresAt: '2026-03-01T09:00:01.000Z' };
    expect(platform.quotes.update(quote.id, changes)).toEqual({ ...quote, ...changes });
    const { id } = platform.quotes.add({ fundingType: 'BANK_ACCOUNT' });
    expect(() => platform.quotes.update(id, { fundingType: 'CRYPTO' })).toThrow(
      'quotes.update: paymentToken is required: it must be one of',
    );
  });

  test('of a document keeps its content unless it is replaced', () => {
    const platform = platformAtStart();
    const { id, content } = platform.documents.add({ content: 'one' });
    expect(platform.documents.update(id, { kind: 'other' })).toMatchObject({ kind: 'other', content });
    expect(new TextDecoder().decode(platform.documents.update(id, { content: 'two' }).content)).toBe('two');
  });

  test('of a person changes matches by their ids', () => {
    const platform = platformAtStart();
    const { id, screening } = platform.persons.add();
    const matchId = screening.openMatches[0]?.matchId;
    const changed = platform.persons.update(id, { screening: { openMatches: [{ matchId, isMatch: true }] } });
    expect(changed.screening).toMatchObject({
      subject: { onboardingBlocked: true },
      openMatches: [{ ...screening.openMatches[0], isMatch: true }],
    });
  });

  test('of a person adds screening runs, and keeps the other fields of those with a known id', async () => {
    const platform = platformAtStart();
    const { id, customerId, runs } = platform.persons.add({ runs: 2, screening: { openMatches: [] } });
    platform.clock.advance({ days: 30 });
    const now = new Date(platform.clock.now()).toISOString();

    const changed = platform.persons.update(id, { screening: { openMatches: [{}, {}] }, runs: 3 });
    expect(changed.runs).toEqual([expect.objectContaining({ createdAt: now, matchCount: 2 }), ...runs]);
    expect(changed.screening).toMatchObject({ historyCount: 3, subject: { lastScreenedAt: now } });

    const [, second, third] = changed.runs;
    platform.persons.update(id, {
      runs: [
        { createdAt: start, errorMessage: 'timeout' },
        { screeningId: third?.screeningId, matchCount: 9 },
      ],
    });
    const { items } = await new Corridor(platform.clientOptions()).screening.history(customerId, id);
    expect(items).toMatchObject([
      { createdAt: start, errorMessage: 'timeout' },
      { ...third, matchCount: 9 },
    ]);
    expect(items.map(({ screeningId }) => screeningId)).not.toContain(second?.screeningId);
    expect(platform.persons.update(id, { runs: 0 }).runs).toEqual([]);
  });

  test.each([
    [{ runs: [{ createdAt: 'soon' }] }, 'persons.update: runs[0].createdAt must be an ISO 8601 date-time'],
    [{ runs: [{ matchCount: '1' }] }, 'persons.update: runs[0].matchCount must be an integer'],
    [{ screening: { historyCount: 3 } }, 'persons.update: screening.historyCount is always the number of runs'],
    [{ runs: -1 }, 'persons.update: runs must be an integer from 0 to 10000'],
    [{ runs: [{ screeningId: 'a' }, { screeningId: 'a' }] }, 'id "a" already exists'],
  ])('of a person rejects %j and changes nothing', (partial, message) => {
    const platform = platformAtStart();
    const person = platform.persons.add();
    const update = (): unknown =>
      platform.persons.update(person.id, { screening: { openMatches: [] }, ...partial } as never);
    expect(update).toThrow(message);
    expect(platform.persons.get(person.id)).toEqual(person);
  });

  test('of a ticket sets its status', () => {
    const platform = platformAtStart();
    const { id } = platform.tickets.add();
    expect(platform.tickets.update(id, { status: 'CLOSED' })).toMatchObject({ id, status: 'CLOSED' });
  });

  test.each(kinds)('of %s rejects unknown ids and fields, and fields that are fixed', (kind) => {
    const platform = platformAtStart();
    const { id } = platform[kind].add();
    const before = platform[kind].get(id);
    const update = (partial: object, of = id) => platform[kind].update(of, partial as never);
    expect(() => update({}, 'nobody')).toThrow(`${kind}.update: id "nobody" does not exist`);
    expect(() => update({ colour: 'red' })).toThrow(`${kind}.update: colour is not a known field`);
    expect(() => update({ id: 'other' })).toThrow(`${kind}.update: id cannot be changed`);
    expect(() => update([])).toThrow(`${kind}.update: the record must be an object`);
    expect(platform[kind].get(id)).toEqual(before);
  });
});

describe('remove', () => {
  test.each(kinds)('of %s removes the record', (kind) => {
    const platform = platformAtStart();
    const { id } = platform[kind].add();
    platform[kind].remove(id);
    expect(platform[kind].get(id)).toBeUndefined();
    expect(() => platform[kind].remove(id)).toThrow(`${kind}.remove: id "${id}" does not exist`);
  });

  test('of what a payment needs is rejected', () => {
    const platform = platformAtStart();
    const { id, beneficiaryId, paymentQuoteId } = platform.payments.add();
    const message = `the payment ${id} needs`;
    expect(() => platform.beneficiaries.remove(beneficiaryId)).toThrow(`beneficiaries.remove: ${message}`);
    expect(() => platform.quotes.remove(paymentQuoteId ?? '')).toThrow(`quotes.remove: ${message}`);
  });
});

describe('what the platform does', () => {
  test('clearMatch clears an open match and lifts the hold', async () => {
    const platform = platformAtStart();
    const { id, customerId, screening } = platform.persons.add({ screening: { previouslyCleared: [] } });
    const [match] = screening.openMatches;
    platform.persons.clearMatch(id, match?.matchId ?? '', { reason: 'Another person' });

    const cleared = await new Corridor(platform.clientOptions()).screening.get(customerId, id);
    expect(cleared).toMatchObject({
      subject: { paymentHold: false, openMatchCount: 0 },
      openMatches: [],
      previouslyCleared: [{ osEntityId: match?.osEntityId, reason: 'Another person', reviewedAt: start }],
    });
    expect(() => platform.persons.clearMatch(id, 'mat_1')).toThrow('"mat_1" is not an open match');
    expect(() => platform.persons.clearMatch(id, 'mat_1', { reason: 5 } as never)).toThrow(
      'persons.clearMatch: screening.previouslyCleared[0].reason must be a string (received 5)',
    );
  });

  test('reply answers a ticket', () => {
    const platform = platformAtStart();
    const { id } = platform.tickets.add();
    expect(platform.tickets.reply(id, { bodyText: 'Solved' }).replies).toMatchObject([
      { bodyText: 'Solved', createdAt: start, requested: false },
    ]);
    expect(() => platform.tickets.reply(id, { body: 'Solved' } as never)).toThrow(
      'tickets.reply: body is not a known field',
    );
    expect(() => platform.tickets.reply('tic_0', {})).toThrow('tickets.reply: id "tic_0" does not exist');
  });
});

describe('the crypto catalog', () => {
  test('is changed and read by requests', async () => {
    const platform = platformAtStart();
    const { crypto } = new Corridor(platform.clientOptions());
    platform.crypto.remove('POLYGON', 'USDT');
    platform.crypto.remove('TRON');
    const paymentMethods = platform.crypto.paymentMethods().map((method) => ({ ...method, networkFeeUsd: '9.99' }));
    platform.crypto.update({ paymentMethods });

    expect((await crypto.networks()).map(({ id }) => id)).not.toContain('TRON');
    const methods = await crypto.paymentMethods();
    expect(methods.filter(({ network }) => network === 'TRON')).toEqual([]);
    expect(methods.filter(({ network }) => network === 'POLYGON')).toMatchObject([
      { token: 'USDC', networkFeeUsd: '9.99' },
    ]);
  });

  test('belongs to its organization, and is saved, restored and reset', () => {
    const platform = platformAtStart();
    const partner = platform.organization();
    const all = platform.crypto.networks();
    partner.crypto.update({ networks: [] });
    const snapshot = platform.snapshot();
    partner.reset();
    expect([platform.crypto.networks(), partner.crypto.networks()]).toEqual([all, all]);
    platform.restore(snapshot);
    expect([platform.crypto.networks(), partner.crypto.networks()]).toEqual([all, []]);
  });

  test.each<[(platform: ReturnType<typeof platformAtStart>) => void, string]>([
    [({ crypto }) => crypto.remove('MOON'), 'crypto.remove: "MOON" is not enabled. Call crypto.networks'],
    [({ crypto }) => crypto.remove('TRON', 'USDC'), 'crypto.remove: "USDC on TRON" is not enabled'],
    [({ crypto }) => crypto.update({ networks: [{ id: 'MOON' }] } as never), 'crypto.update: networks[0].displayName'],
    [({ crypto }) => crypto.update({ tokens: [] } as never), 'crypto.update: tokens is not a known field'],
  ])('rejects invalid changes: %s', (change, message) => {
    expect(() => change(platformAtStart())).toThrow(message);
  });
});

describe('removeOrganization', () => {
  test('removes its records and credentials, and those of no other', async () => {
    const platform = platformAtStart();
    const [removed, kept] = [platform.organization(), platform.organization()];
    const options = removed.clientOptions();
    kept.customers.add();
    platform.removeOrganization(removed.id);

    expect(platform.organizations.map(({ id }) => id)).toEqual([platform.id, kept.id]);
    await expect(new Corridor(options).customers.list()).rejects.toMatchObject({ platformCode: 'unknown_api_key' });
    expect((await new Corridor(kept.clientOptions()).customers.list()).items).toHaveLength(1);
    const added = platform.organization();
    expect(new Set([removed.id, kept.id, added.id]).size).toBe(3);
    expect((await new Corridor(added.clientOptions()).customers.list()).items).toEqual([]);
  });

  test('is undone by a snapshot, with its keys and object', async () => {
    const platform = platformAtStart();
    const [first, second] = [platform.organization(), platform.organization()];
    first.customers.add();
    second.customers.addMany(2);
    const corridor = new Corridor(first.clientOptions());
    await corridor.customers.list();
    const snapshot = JSON.parse(JSON.stringify(platform.snapshot())) as ReturnType<typeof platform.snapshot>;
    platform.removeOrganization(first.id);
    const without = platform.snapshot();

    platform.restore(snapshot);
    expect(platform.organizations).toEqual([expect.anything(), first, second]);
    expect((await corridor.customers.list()).items).toHaveLength(1);
    platform.restore(without);
    expect(platform.organizations[1]).toBe(second);
    expect(second.customers.all()).toHaveLength(2);
    const [again] = [platform.organization()];
    expect([first.id, second.id]).not.toContain(again.id);
  });

  test('rejects the first organization and unknown ids', () => {
    const platform = platformAtStart();
    expect(() => platform.removeOrganization(platform.id)).toThrow(
      'removeOrganization: the first organization is the platform itself and cannot be removed. Call reset',
    );
    expect(() => platform.removeOrganization('org_0')).toThrow(
      'removeOrganization: id "org_0" does not exist on this platform.',
    );
  });
});
