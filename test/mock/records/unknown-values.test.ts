import { unknownValue } from 'corridor-sdk';
import { connectMockPlatform, createMockPlatform, type MockPlatform } from 'corridor-sdk/mock';
import { serveMockPlatform } from 'corridor-sdk/mock/node';
import { describe, expect, test } from 'vitest';
import { clientOf } from '../fixture.ts';

const onHold = unknownValue('STATUS_OF_TESTS');

/** Returns the statuses that the platform lists, in a request with a filter. */
const listed = async (platform: MockPlatform, status?: typeof onHold): Promise<string[]> =>
  (await clientOf(platform).payments.list(status === undefined ? {} : { status })).items.map((item) => item.status);

describe('a status that the platform has added', () => {
  test('is that of an added or an updated record, by its mark', async () => {
    const platform = createMockPlatform();
    platform.payments.add({ status: onHold });
    const { id } = platform.payments.add({ status: 'APPROVED' });
    expect(platform.payments.update(id, { status: onHold }).status).toBe('STATUS_OF_TESTS');
    expect(platform.payments.update(id, { memo: 'later' })).toMatchObject({ status: 'STATUS_OF_TESTS', memo: 'later' });
    expect(await listed(platform)).toEqual(['STATUS_OF_TESTS', 'STATUS_OF_TESTS']);
    expect(platform.customers.add({ status: unknownValue('FROZEN') }).status).toBe('FROZEN');
    expect(platform.payments.add({ customer: { status: unknownValue('FROZEN') } }).customer.status).toBe('FROZEN');
  });

  test('filters requests and the records of the mock', async () => {
    const platform = createMockPlatform();
    platform.payments.add();
    expect(platform.payments.all({ status: onHold })).toEqual([]);
    platform.payments.add({ status: onHold });
    expect(await listed(platform, onHold)).toEqual(['STATUS_OF_TESTS']);
    expect(platform.payments.all({ status: onHold })).toHaveLength(1);
  });

  test('can follow and precede any status', () => {
    const platform = createMockPlatform();
    const { id } = platform.payments.add({ status: 'APPROVED' });
    const { sourceFunding } = platform.payments.transition(id, onHold);
    expect(sourceFunding).toMatchObject({ fundingStatus: 'CONFIRMED' });
    platform.payments.scheduleTransitions(id, ['PROCESSING', onHold, 'COMPLETED'], { every: { minutes: 1 } });
    platform.clock.advance({ minutes: 3 });
    const statuses = ['APPROVED', 'STATUS_OF_TESTS', 'PROCESSING', 'STATUS_OF_TESTS', 'COMPLETED'];
    expect(platform.payments.history(id).map(({ status }) => status)).toEqual(statuses);
  });

  test('is in the history of an added record', () => {
    const platform = createMockPlatform();
    const { id, createdAt: at } = platform.payments.add({
      createdAt: '2026-02-01T00:00:00Z',
      history: [
        { status: onHold, at: '2026-02-01T00:00:00Z' },
        { status: 'PENDING_REVIEW', at: '2026-02-02T00:00:00Z' },
      ],
    });
    expect(platform.payments.history(id)[0]).toEqual({ status: 'STATUS_OF_TESTS', at });
  });

  test('is in a scenario: of records, transitions and conditions', async () => {
    const platform = createMockPlatform();
    platform.scenarios.load({
      payments: [
        { status: onHold },
        { status: 'APPROVED', transitions: { statuses: [onHold, 'PROCESSING'], trigger: { every: { minutes: 1 } } } },
      ],
      createdPayments: { statuses: [onHold], trigger: { every: { hours: 1 } } },
      responses: [{ endpoint: 'payments.list', status: 503, when: { status: onHold }, times: 1 }],
    });
    platform.clock.advance({ minutes: 1 });
    await expect(listed(platform, onHold)).rejects.toMatchObject({ status: 503 });
    expect(await listed(platform, onHold)).toEqual(['STATUS_OF_TESTS', 'STATUS_OF_TESTS']);
  });

  test('is a condition of faults', async () => {
    const platform = createMockPlatform();
    platform.payments.add({ status: onHold });
    platform.respond('payments.list', { status: 503, when: { status: onHold }, times: 1 });
    await expect(listed(platform, onHold)).rejects.toMatchObject({ status: 503 });
  });

  test('leaves other fields validated, also an empty one', () => {
    const platform = createMockPlatform({ records: 'any' });
    expect(platform.payments.add({ status: unknownValue(' ') }).status).toBe(' ');
    expect(platform.payments.add({ status: '' as never }).status).toBe('');
    expect(() => platform.persons.add({ runs: 'many' as never })).toThrow('persons.add: runs must be an integer');
  });

  test('survives a snapshot, and not a reset', async () => {
    const platform = createMockPlatform();
    platform.payments.add({ status: onHold });
    const copy = createMockPlatform();
    copy.restore(platform.snapshot());
    expect(await listed(copy, onHold)).toEqual(['STATUS_OF_TESTS']);
    platform.reset();
    await expect(listed(platform, onHold)).rejects.toMatchObject({ status: 400 });
  });

  test('needs no mark with records: any', async () => {
    const platform = createMockPlatform({ records: 'any' });
    const { id } = platform.payments.add();
    platform.payments.update(id, { status: 'STATUS_OF_TESTS' as 'APPROVED' });
    expect(await listed(platform, onHold)).toEqual(['STATUS_OF_TESTS']);
  });

  test('is marked over HTTP as in TypeScript', async () => {
    const served = await serveMockPlatform({ control: true });
    const remote = await connectMockPlatform(served.url);
    const { id } = await remote.payments.add({ status: onHold });
    await remote.payments.transition(id, 'APPROVED');
    expect((await remote.payments.transition(id, onHold)).status).toBe('STATUS_OF_TESTS');
    expect(await remote.payments.all({ status: onHold })).toHaveLength(1);
    await served.close();
  });

  test('is misspelled without a mark', () => {
    const { payments } = createMockPlatform();
    const { id } = payments.add({ status: onHold });
    const misspelled = 'STATUS_OF_TESTSD' as 'APPROVED';
    expect(() => payments.add({ status: misspelled })).toThrow('payments.add: status must be one of');
    expect(() => payments.update(id, { status: misspelled })).toThrow('payments.update: status must be one of');
    expect(() => payments.all({ status: misspelled })).toThrow('payments.all: status must be one of');
    const other = payments.add().id;
    expect(() => payments.transition(other, misspelled)).toThrow(
      'the transition from PENDING_REVIEW to STATUS_OF_TESTSD',
    );
  });
});
