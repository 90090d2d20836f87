import { MemoryJournal, type PaymentCreateIntent } from 'corridor-sdk';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { journalContract } from 'corridor-sdk/journal/testing';
import { intentFor } from './intent-for.ts';

describe('a journal in memory', () => {
  test.each(journalContract)('$name', async ({ check }) => check(new MemoryJournal()));

  test('keeps all pending entries, all payments with a key, and the last 10,000 of the others', async () => {
    const journal = new MemoryJournal();
    const [open, paid, late] = ['open', 'paid', 'late'].map((name) =>
      intentFor(`quo_${name}`, {}, { idempotencyKey: name }),
    ) as [PaymentCreateIntent, PaymentCreateIntent, PaymentCreateIntent];
    for (const intent of [open, paid, late]) await journal.claim(intent);
    await journal.resolve(late, { outcome: 'not-created' });
    for (const intent of [paid, late]) await journal.resolve(intent, { outcome: 'created', paymentId: intent.id });
    for (let count = 0; count <= 10_001; count += 1) {
      const intent = intentFor(`quo_${count}`);
      await journal.claim(intent);
      await journal.resolve(intent, { outcome: 'created', paymentId: `pay_${count}` });
    }
    expect(await journal.listPending()).toEqual([open]);
    for (const { id, idempotencyKey } of [paid, late])
      expect(await journal.claim(intentFor('quo_new', {}, { idempotencyKey: String(idempotencyKey) }))).toMatchObject({
        resolution: { paymentId: id },
      });
    expect(await journal.claim(intentFor('quo_2'))).toMatchObject({ resolution: { paymentId: 'pay_2' } });
    for (const quote of ['quo_0', 'quo_1']) expect(await journal.claim(intentFor(quote))).toBe(true);
  });

  test('counts the entries of another journal that it took over among the last 10,000', async () => {
    const [journal, other] = [new MemoryJournal(), new MemoryJournal()];
    for (let count = 0; count <= 10_000; count += 1) {
      const intent = intentFor(`quo_${count}`);
      const each = count === 0 ? other : journal;
      await each.claim(intent);
      await each.resolve(intent, { outcome: 'created', paymentId: `pay_${count}` });
      if (count === 0) journal.add(other);
    }
    expect(await journal.claim(intentFor('quo_1'))).toMatchObject({ resolution: { paymentId: 'pay_1' } });
    expect(await journal.claim(intentFor('quo_0'))).toBe(true);
  });

  test('purge keeps a payment that was resolved at its time or later, also if an older one had the same key', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const journal = new MemoryJournal();
    const [first, second] = ['quo_1', 'quo_2'].map((quote) => intentFor(quote, {}, { idempotencyKey: 'order-1' })) as [
      PaymentCreateIntent,
      PaymentCreateIntent,
    ];
    await journal.claim(first);
    await journal.resolve(first, { outcome: 'not-created' });
    await journal.claim(second);
    await journal.resolve(second, { outcome: 'created', paymentId: 'pay_2' });
    vi.advanceTimersByTime(1);
    await journal.resolve(first, { outcome: 'created', paymentId: 'pay_1' });
    expect(await journal.purge(new Date())).toBe(1);
    expect(await journal.claim(second)).toEqual({
      intent: first,
      resolution: { outcome: 'created', paymentId: 'pay_1' },
    });
  });

  test('purge removes a payment that was resolved twice', async () => {
    const journal = new MemoryJournal();
    const intent = intentFor('quo_1');
    await journal.claim(intent);
    for (const paymentId of ['pay_1', 'pay_2']) await journal.resolve(intent, { outcome: 'created', paymentId });
    expect(await journal.purge(new Date(Date.now() + 60_000))).toBe(1);
    expect(await journal.claim(intentFor('quo_1'))).toBe(true);
  });
});
