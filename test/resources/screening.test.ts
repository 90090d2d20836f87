import { describe, expect, test } from 'vitest';
import { NotFoundError } from 'corridor-sdk';
import { adapters } from './adapters.ts';

describe.each(adapters)('screening.get over $name', ({ open }) => {
  test('reads the result of a person, with its flags, matches and decisions', async () => {
    await using stage = await open();
    const person = stage.platform.persons.add({
      screening: {
        subject: { paymentHold: true, onboardingBlocked: false },
        openMatches: [{ caption: 'A namesake', disposition: null }, {}],
        readOnlyReason: 'Archived',
      },
    });
    const screening = await stage.corridor.screening.get(person.customerId, person.id);
    expect(screening).toEqual(person.screening);
    expect(screening.subject).toMatchObject({ paymentHold: true, onboardingBlocked: false, openMatchCount: 2 });
    expect(screening.openMatches[0]).toMatchObject({ caption: 'A namesake', disposition: null });
    expect(screening).toMatchObject({ readOnlyReason: 'Archived', historyCount: person.runs.length });
  });

  test('says that the customer has no such person', async () => {
    await using stage = await open();
    const [person, other] = stage.platform.persons.addMany(2);
    await expect(stage.corridor.screening.get(person?.customerId ?? '', other?.id ?? '')).rejects.toBeInstanceOf(
      NotFoundError,
    );
    await expect(stage.corridor.screening.get('cus_none', person?.id ?? '')).rejects.toBeInstanceOf(NotFoundError);
  });
});

describe.each(adapters)('screening.history over $name', ({ open }) => {
  test('iterates all runs, newest first, although the platform sends no hasMore', async () => {
    await using stage = await open();
    const person = stage.platform.persons.add({ runs: 7 });
    stage.platform.persons.add({ customerId: person.customerId, runs: 2 });
    const runs: unknown[] = [];
    for await (const run of stage.corridor.screening.history(person.customerId, person.id, { limit: 3 }))
      runs.push(run);
    expect(runs).toEqual(person.runs);
    expect(stage.platform.requests.to('screening.history')).toHaveLength(3);
  });

  test('returns 25 runs per page by default', async () => {
    await using stage = await open();
    const person = stage.platform.persons.add({ runs: 26 });
    const page = await stage.corridor.screening.history(person.customerId, person.id);
    expect([page.items.length, page.hasMore]).toEqual([25, true]);
    const last = await page.getNextPage();
    expect([last?.items.length, last?.hasMore, last?.nextCursor]).toEqual([1, false, null]);
  });

  test('continues from a cursor', async () => {
    await using stage = await open();
    const person = stage.platform.persons.add({ runs: 4 });
    const { nextCursor } = await stage.corridor.screening.history(person.customerId, person.id, { limit: 1 });
    const rest = await stage.corridor.screening
      .history(person.customerId, person.id, { cursor: nextCursor ?? undefined })
      .toArray();
    expect(rest).toEqual(person.runs.slice(1));
  });

  test('says that the customer has no such person', async () => {
    await using stage = await open();
    await expect(stage.corridor.screening.history('cus_none', 'per_none')).rejects.toBeInstanceOf(NotFoundError);
  });
});
