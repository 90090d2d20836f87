import {
  beneficiaryTransitions,
  createMockPlatform,
  customerTransitions,
  paymentTransitions,
  type MockPlatform,
} from 'corridor-sdk/mock';
import { describe, expect, test } from 'vitest';
import { platformAtStart } from '../fixture.ts';
import { call } from '../sign.ts';
import { clientOf } from './strict-client.ts';

describe('customers', () => {
  test('list their status changes, newest first, in their activity', async () => {
    const platform = platformAtStart();
    const { id } = platform.customers.add({ status: 'DRAFT' });
    const corridor = clientOf(platform);
    expect(await corridor.customers.activity(id)).toEqual([]);
    platform.customers.transition(id, 'PENDING_REVIEW');
    platform.clock.advance({ days: 1 });
    platform.customers.transition(id, 'APPROVED');
    const activity = await corridor.customers.activity(id);
    expect(activity).toMatchObject([
      {
        eventType: 'STATUS_CHANGE',
        entityType: 'CUSTOMER',
        entityId: id,
        fromStatus: 'PENDING_REVIEW',
        toStatus: 'APPROVED',
        createdAt: '2026-03-02T09:00:00.000Z',
      },
      {
        eventType: 'STATUS_CHANGE',
        entityType: 'CUSTOMER',
        entityId: id,
        fromStatus: 'DRAFT',
        toStatus: 'PENDING_REVIEW',
        createdAt: '2026-03-01T09:00:00.000Z',
      },
    ]);
    expect(platform.customers.activity(id)).toEqual(activity);
    expect(platform.customers.get(id)).toMatchObject({
      status: 'APPROVED',
      updatedAt: '2026-03-02T09:00:00.000Z',
      createdAt: '2026-03-01T09:00:00.000Z',
    });
  });
});

describe('a record that does not exist', () => {
  const paths = (platform: MockPlatform): Record<string, string> => {
    const { id: customerId } = platform.customers.add();
    const { id: personId } = platform.persons.add({ customerId });
    const ticket = platform.tickets.add();
    const { id: documentId } = platform.documents.add({ customerId });
    return {
      customer: `/api/v1/customers/${customerId}`,
      activity: `/api/v1/customers/${customerId}/activity`,
      beneficiaries: `/api/v1/customers/${customerId}/beneficiaries`,
      screening: `/api/v1/customers/${customerId}/persons/${personId}/screening`,
      history: `/api/v1/customers/${customerId}/persons/${personId}/screening/history`,
      attachment: `/api/v1/support/partner-tickets/${ticket.id}/attachments/${ticket.attachments[0]?.id}/download-url`,
      document: `/api/v1/documents/${documentId}`,
    };
  };

  test.each(['customer', 'activity', 'beneficiaries', 'screening', 'history', 'attachment', 'document'])(
    '%s: the id of another organization gets the same response as an unknown one',
    async (name) => {
      const platform = platformAtStart();
      const acme = platform.organization();
      const path = paths(platform)[name] ?? '';
      const unknown = path.replaceAll(/_\w{16}/g, '_0000000000000000');
      const own = await call(platform.clientOptions(), { path });
      const foreign = await call(acme.clientOptions(), { path });
      const never = await call(acme.clientOptions(), { path: unknown });
      expect(own.status).toBe(200);
      expect(foreign).toMatchObject({
        status: 404,
        body: { code: 'not_found', message: expect.stringMatching(/^there is no such/) },
      });
      const shown = (body: unknown): string => JSON.stringify(body).replaceAll(/_\w{16}/g, '_…');
      expect(shown(foreign.body)).toBe(shown(never.body));
    },
  );

  test('a ticket or document of another organization cannot be changed', async () => {
    const platform = platformAtStart();
    const acme = platform.organization();
    const ticket = platform.tickets.add();
    const document = platform.documents.add();
    expect(
      await call(acme.clientOptions(), {
        method: 'POST',
        path: `/api/v1/support/partner-tickets/${ticket.id}/replies`,
        json: {},
      }),
    ).toMatchObject({ status: 404 });
    expect(
      await call(acme.clientOptions(), { method: 'DELETE', path: `/api/v1/documents/${document.id}` }),
    ).toMatchObject({ status: 404 });
    expect(platform.documents.get(document.id)).toBeDefined();
  });

  test('includes a person of another customer', async () => {
    const platform = platformAtStart();
    const [mine, other] = [platform.customers.add(), platform.persons.add()];
    expect(
      await call(platform.clientOptions(), { path: `/api/v1/customers/${mine.id}/persons/${other.id}/screening` }),
    ).toMatchObject({ status: 404 });
  });
});

describe('transition', () => {
  test.each([
    ['payments', paymentTransitions],
    ['customers', customerTransitions],
    ['beneficiaries', beneficiaryTransitions],
  ] as const)('changes %s exactly as the exported table allows', (kind, table) => {
    const statuses = Object.keys(table) as (keyof typeof table)[];
    for (const from of statuses) {
      for (const to of statuses) {
        const platform = platformAtStart();
        const { id } = platform[kind].add({ status: from });
        const move = (): unknown => platform[kind].transition(id, to);
        if ((table[from] as readonly string[]).includes(to)) expect(move()).toMatchObject({ id, status: to });
        else expect(move).toThrow(`${kind}.transition: the transition from ${from} to ${to} is not allowed`);
      }
    }
  });

  test('allows the paths that every platform has', () => {
    expect(paymentTransitions.PENDING_REVIEW).toEqual(
      expect.arrayContaining(['APPROVED', 'REJECTED', 'CORRECTION_NEEDED', 'CANCELLED']),
    );
    expect(paymentTransitions.APPROVED).toEqual(expect.arrayContaining(['PROCESSING', 'CANCELLED']));
    expect(paymentTransitions.PROCESSING).toEqual(expect.arrayContaining(['COMPLETED', 'RETURNED']));
    expect(customerTransitions).toMatchObject({
      DRAFT: ['PENDING_REVIEW'],
      SUSPENDED: expect.arrayContaining(['APPROVED']),
    });
    expect(beneficiaryTransitions.CORRECTION_REQUESTED).toContain('PENDING_REVIEW');
  });

  test('lists the allowed transitions, and reports a final status', () => {
    const platform = platformAtStart();
    const moving = platform.payments.add({ status: 'PROCESSING' });
    const rejected = platform.payments.add({ status: 'REJECTED' });
    expect(() => platform.payments.transition(moving.id, 'CANCELLED')).toThrow(
      'payments.transition: the transition from PROCESSING to CANCELLED is not allowed (allowed: COMPLETED, RETURNED',
    );
    expect(() => platform.payments.transition(rejected.id, 'APPROVED')).toThrow(
      'payments.transition: the transition from REJECTED to APPROVED is not allowed (REJECTED is final)',
    );
  });

  test.each(['payments', 'customers', 'beneficiaries'] as const)('of an unknown record of %s throws', (kind) => {
    expect(() => platformAtStart()[kind].transition('nobody', 'APPROVED')).toThrow(
      `${kind}.transition: id "nobody" does not exist in this organization`,
    );
  });

  test('uses the rows that override the table', () => {
    const platform = createMockPlatform({ transitions: { payments: { REJECTED: ['PENDING_REVIEW'], APPROVED: [] } } });
    const rejected = platform.payments.add({ status: 'REJECTED' });
    const approved = platform.payments.add({ status: 'APPROVED' });
    expect(platform.payments.transition(rejected.id, 'PENDING_REVIEW')).toMatchObject({ status: 'PENDING_REVIEW' });
    expect(() => platform.payments.transition(approved.id, 'PROCESSING')).toThrow('APPROVED is final');
    expect(platform.payments.transition(rejected.id, 'APPROVED')).toMatchObject({ status: 'APPROVED' });
  });

  test('increments the version of a beneficiary, while a payment keeps the authorized version', () => {
    const platform = platformAtStart();
    const payment = platform.payments.add();
    platform.beneficiaries.transition(payment.beneficiaryId, 'SUSPENDED');
    expect(platform.beneficiaries.transition(payment.beneficiaryId, 'APPROVED')).toMatchObject({ version: 3 });
    expect(platform.payments.get(payment.id)?.authorization.beneficiaryVersion).toBe(1);
  });

  test('confirms the funding of a crypto payment when it is approved', () => {
    const platform = platformAtStart();
    const { id } = platform.payments.add({ paymentQuote: { fundingType: 'CRYPTO' } });
    expect(platform.payments.get(id)?.sourceFunding).toMatchObject({ fundingStatus: 'PENDING' });
    platform.clock.advance({ hours: 2 });
    expect(platform.payments.transition(id, 'APPROVED')).toMatchObject({
      updatedAt: '2026-03-01T11:00:00.000Z',
      sourceFunding: { fundingStatus: 'CONFIRMED' },
    });
  });
});
