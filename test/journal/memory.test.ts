import { MemoryJournal } from 'corridor-sdk';
import { describe, expect, test } from 'vitest';
import { journalContract } from 'corridor-sdk/journal/testing';
import { intentFor } from './intent-for.ts';

describe('a journal in memory', () => {
  test.each(journalContract)('$name', async ({ check }) => check(new MemoryJournal()));

  test('keeps all pending entries and the last 10,000 resolved ones', async () => {
    const journal = new MemoryJournal();
    const open = intentFor('quo_open');
    await journal.claim(open);
    for (let count = 0; count <= 10_000; count += 1) {
      const intent = intentFor(`quo_${count}`);
      await journal.claim(intent);
      await journal.resolve(intent, { outcome: 'created', paymentId: `pay_${count}` });
    }
    expect(await journal.listPending()).toEqual([open]);
    expect(await journal.claim(intentFor('quo_1'))).toMatchObject({ resolution: { paymentId: 'pay_1' } });
    expect(await journal.claim(intentFor('quo_0'))).toBe(true);
  });
});
