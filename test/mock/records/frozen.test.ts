import { Corridor } from 'corridor-sdk';
import { createMockPlatform, type MockPlatform } from 'corridor-sdk/mock';
import { describe, expect, test } from 'vitest';
import { platformAtStart, start } from '../fixture.ts';

const kinds = ['customers', 'beneficiaries', 'persons', 'documents', 'quotes', 'payments', 'tickets'] as const;

type Getter = [name: string, read: (platform: MockPlatform) => readonly unknown[] | undefined];

/** Returns the paths of the objects and arrays in a value that can be changed; bytes cannot be frozen. */
function unfrozenIn(value: unknown, path = ''): string[] {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return [];
  return [
    ...(Object.isFrozen(value) ? [] : [path]),
    ...Object.entries(value).flatMap(([field, item]) => unfrozenIn(item, `${path}.${field}`)),
  ];
}

/** Adds a payment with a history, requests, planned faults and events, and a screened person. */
async function livelyPlatform(): Promise<MockPlatform> {
  const platform = platformAtStart();
  const corridor = new Corridor({ ...platform.clientOptions(), maxRetries: 0 });
  const { id, customerId } = platform.payments.add();
  platform.customers.transition(customerId, 'SUSPENDED');
  platform.persons.add();
  platform.tickets.add({ replies: [{ bodyText: 'Hello' }] });
  platform.payments.transition(id, 'APPROVED');
  platform.payments.scheduleTransitions(id, ['PROCESSING', 'COMPLETED'], { every: { hours: 1 } });
  await corridor.payments.create(platform.payments.createParams());
  await corridor.payments.create({ ...platform.payments.createParams(), amount: '0.01' }).catch(() => undefined);
  platform.faults.next('payments.create', { kind: 'late-commit', after: 1000 });
  const late = platform.payments.createParams();
  await corridor.payments.create(late).catch(() => undefined);
  platform.documents.remove(late.documentIds[0] ?? '');
  platform.clock.advance({ seconds: 1 });
  platform.scheduled(); // runs the late request, which fails
  platform.faults.always('payments.list', { kind: 'status', status: 503 }, { when: { status: 'APPROVED' } });
  return platform;
}

describe('returned records', () => {
  test.each(kinds)('of %s are frozen', (kind) => {
    'use strict';
    const platform = platformAtStart();
    const added = platform[kind].add();
    for (const record of [added, platform[kind].get(added.id), ...platform[kind].all()])
      expect(() => Object.assign(record as object, { id: 'changed' })).toThrow(TypeError);
  });

  test('have frozen parts', () => {
    const payment = createMockPlatform().payments.add();
    expect(() => Object.assign(payment.authorization.destination ?? {}, { iban: '' })).toThrow(TypeError);
    expect(() => (payment.documentIds as string[]).push('doc_1')).toThrow(TypeError);
  });

  test('do not share objects with the input, which stays unfrozen', () => {
    const platform = createMockPlatform();
    const authorization = { contractId: 'con_1' };
    const { id } = platform.payments.add({ authorization });
    authorization.contractId = 'con_2';
    expect(platform.payments.get(id)?.authorization.contractId).toBe('con_1');
  });

  test.each<Getter>([
    ['payments.history', ({ payments }) => payments.history(payments.all()[0]?.id ?? '')],
    ['customers.activity', ({ customers }) => customers.activity(customers.all()[0]?.id ?? '')],
    ['requests', ({ requests }) => requests],
    ['requests.to', ({ requests }) => requests.to('payments.create')],
    ['requests of an organization', ({ organizations }) => organizations[0]?.requests],
    ['scheduled', (platform) => platform.scheduled()],
    ['assumptions', (platform) => platform.assumptions()],
    ['faults.list', ({ faults }) => faults.list()],
    ['crypto.networks', ({ crypto }) => crypto.networks()],
    ['crypto.paymentMethods', ({ crypto }) => crypto.paymentMethods()],
    ...kinds.map((kind): Getter => [`${kind}.all`, (platform) => platform[kind].all()]),
  ])('of %s are frozen in all parts', async (_, read) => {
    const records = read(await livelyPlatform());
    expect(records).not.toHaveLength(0);
    expect(records?.flatMap((record, index) => unfrozenIn(record, String(index)))).toEqual([]);
  });

  test('of a history do not change the stored one', () => {
    const platform = platformAtStart();
    const { id } = platform.payments.add();
    expect(() => Object.assign(platform.payments.history(id)[0] ?? {}, { status: 'COMPLETED' })).toThrow(TypeError);
    platform.payments.history(id).pop();
    expect(platform.payments.history(id)).toEqual([{ status: 'PENDING_REVIEW', at: start }]);
  });
});
