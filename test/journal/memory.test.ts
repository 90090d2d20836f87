import { MemoryJournal } from 'corridor-sdk';
import { describe, expect, test } from 'vitest';
import { contract, intentFor } from './contract.ts';

describe('a journal in memory', () => {
  test.each(contract)('%s', async (_rule, shows) => shows(new MemoryJournal()));

  test('keeps what is open for ever, and the last ten thousand that are settled', async () => {
    const journal = new MemoryJournal();
    const open = intentFor('quo_open');
    await journal.claim(open);
    for (let count = 0; count <= 10_000; count += 1) {
      await journal.claim(intentFor(`quo_${count}`));
      await journal.settle(`quo_${count}`, { outcome: 'created', paymentId: `pay_${count}` });
    }
    expect(await journal.open()).toEqual([open]);
    expect(await journal.claim(intentFor('quo_1'))).toMatchObject({ settlement: { paymentId: 'pay_1' } });
    expect(await journal.claim(intentFor('quo_0'))).toBe(true);
  });
});
