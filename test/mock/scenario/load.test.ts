import { Ajv2020 } from 'ajv/dist/2020.js';
import { readFileSync } from 'node:fs';
import { Corridor } from 'corridor-sdk';
import { createMockPlatform, mockScenarios, type MockScenario } from 'corridor-sdk/mock';
import { describe, expect, test } from 'vitest';
import { scenarioJsonSchema } from '../../../scripts/scenario-schema.ts';

const everything: MockScenario = {
  $schema: './scenario.schema.json',
  description: 'Everything that a scenario can contain.',
  clock: { now: '2026-03-01T09:00:00Z', isFrozen: true },
  behavior: { quotes: 'reusable' },
  populate: { customers: 1, beneficiaries: 0, persons: 0, payments: 0, quotes: 0, documents: 0, tickets: 0 },
  customers: [
    { id: 'cus_1' },
    { status: 'PENDING_REVIEW', count: 2, transitions: { statuses: ['APPROVED'], trigger: { every: { minutes: 1 } } } },
  ],
  beneficiaries: [{ id: 'ben_1', customerId: 'cus_1', currencyCode: 'MXN' }],
  persons: [{ customerId: 'cus_1' }],
  quotes: [{ customerId: 'cus_1', count: 3 }],
  documents: [{ customerId: 'cus_1', kind: 'other' }],
  payments: [
    { beneficiaryId: 'ben_1', transitions: { statuses: ['APPROVED'], trigger: { every: { hours: 1 } } } },
    { customer: { companyName: 'Acme Ltd' }, amount: '12.50', currencyCode: 'ZAR' },
  ],
  tickets: [{ subject: 'Question' }],
  createdPayments: { statuses: ['REJECTED'], trigger: { every: { seconds: 90 } } },
  faults: [
    { endpoint: 'payments.list', fault: { kind: 'reset' }, times: 2 },
    { endpoint: '*', fault: { kind: 'slow', delay: 5 }, probability: 0.5, duration: { minutes: 1 } },
    { endpoint: 'payments.create', fault: { kind: 'hang' }, when: { currencyCode: 'MXN' } },
  ],
};

describe('load', () => {
  test('adds records, scheduled changes, faults, clock and behavior', () => {
    const platform = createMockPlatform();
    platform.scenarios.load(everything);
    expect(platform.clock.now()).toBe(Date.parse('2026-03-01T09:00:00Z'));
    expect(platform.customers.all().filter(({ status }) => status === 'PENDING_REVIEW')).toHaveLength(2);
    expect(platform.payments.all()).toMatchObject([
      { beneficiaryId: 'ben_1', currencyCode: 'MXN', status: 'PENDING_REVIEW' },
      { customer: { companyName: 'Acme Ltd' }, amount: '12.50' },
    ]);
    expect(platform.faults.list()).toMatchObject([
      { endpoint: 'payments.list', remaining: 2 },
      { endpoint: '*', probability: 0.5, until: Date.parse('2026-03-01T09:01:00Z') },
      { endpoint: 'payments.create', when: { currencyCode: 'MXN' } },
    ]);
    expect(platform.assumptions()).toContainEqual(expect.objectContaining({ option: 'quotes', value: 'reusable' }));
    platform.clock.advance({ hours: 1 });
    expect(platform.payments.all()[0]?.status).toBe('APPROVED');
  });

  test('starts a clock that runs, unless it is frozen', async () => {
    const platform = createMockPlatform();
    platform.scenarios.load({ clock: { now: '2030-01-01T00:00:00Z' } });
    const corridor = new Corridor(platform.clientOptions());
    await corridor.crypto.networks();
    expect(new Date(platform.clock.now()).getUTCFullYear()).toBe(2030);
  });

  test('loads a scenario of your own by its name', () => {
    const platform = createMockPlatform();
    platform.scenarios.add('ours', { customers: [{ id: 'cus_ours' }] });
    platform.scenarios.load('ours');
    expect(platform.customers.get('cus_ours')).toBeDefined();
  });

  test.each<[scenario: unknown, message: string]>([
    ['nothing', 'scenarios.load: unknown scenario "nothing" (expected: first-payment, screening-hold,'],
    [5, 'scenarios.load: the scenario must be a scenario, such as'],
    [{ payment: [] }, 'scenarios.load: payment is not a known field (known: $schema, description, clock'],
    [{ payments: [{ amount: 5 }] }, 'scenarios.load: payments[0].amount must be a string (received 5)'],
    [{ payments: [{}, { amount: 'five' }] }, 'scenarios.load: payments[1]: '],
    [{ customers: [{}, { colour: 'red' }] }, 'scenarios.load: customers[1].colour is not a known field'],
    [{ payments: [{ count: 0 }] }, 'scenarios.load: payments[0].count must be an integer from 1 to 100000'],
    [
      { payments: [{ transitions: { statuses: ['DRAFT'], trigger: { every: { minutes: 1 } } } }] },
      'scenarios.load: payments[0].transitions.statuses[0] must be one of PENDING_REVIEW,',
    ],
    [
      { faults: [{ endpoint: 'payments.pay', fault: { kind: 'reset' } }] },
      'scenarios.load: faults[0].endpoint must be one of',
    ],
    [
      {
        faults: [
          { endpoint: '*', fault: { kind: 'reset' } },
          { endpoint: 'payments.list', fault: { kind: 'reset' }, when: { colour: 1 } },
        ],
      },
      'scenarios.load: faults[1]: faults.always: when.colour is not a known field',
    ],
    [
      { faults: [{ endpoint: '*', fault: { kind: 'reset' }, times: 2, probability: 0.5 }] },
      'scenarios.load: faults[0]: faults.rate: times is not a known field (known: endpoint, fault, probability, duration',
    ],
    [
      { faults: [{ endpoint: '*', fault: { kind: 'reset' }, duration: { days: 1e9 } }] },
      'scenarios.load: faults[0].duration must be a duration greater than 0 and at most 1e9 seconds',
    ],
    [
      { faults: [{ endpoint: '*', fault: { kind: 'reset' }, times: 2, duration: { days: 1 } }] },
      'scenarios.load: faults[0]: faults.next: duration is not a known field (known: endpoint, fault, times, after',
    ],
    [
      { responses: [{ endpoint: '*', body: {}, patch: {} }] },
      'scenarios.load: responses[0]: respond: fault must have either body, or patch and omit',
    ],
    [{ clock: { now: 'soon' } }, 'scenarios.load: clock: clock.set: "soon" is not a valid time'],
    [
      {
        clock: { now: '2030-01-01T00:00:00Z' },
        behavior: { quotes: 'reusable' },
        payments: [{ beneficiaryId: 'ben_0' }],
      },
      'ben_0',
    ],
  ])('rejects %j and changes nothing', (scenario, message) => {
    const platform = createMockPlatform({ now: () => 0 });
    platform.customers.add();
    const before = platform.snapshot();
    expect(() => platform.scenarios.load(scenario as never)).toThrow(message);
    // The hash also covers the numbers of the next records, which are not reused.
    const unchanged = ({
      organizations: [organization],
      hash: _hash,
      ...rest
    }: {
      hash: string;
      organizations: { schedule: object; faults: { faults: object[] } }[];
    }): unknown => [rest, organization?.schedule, organization?.faults.faults];
    expect(unchanged(platform.snapshot() as never)).toEqual(unchanged(before as never));
    expect(platform.customers.all()).toHaveLength(1);
    expect(platform.payments.all()).toEqual([]);
  });
});

describe('the JSON schema', () => {
  const file = new URL('../../../docs/scenario.schema.json', import.meta.url);

  test('is generated from the schema: npm run update', async () => {
    await expect(scenarioJsonSchema()).toMatchFileSnapshot(file.pathname);
  });

  test('accepts the scenarios of the package, and everything that a scenario can contain', () => {
    const validate = new Ajv2020({ strict: false }).compile(JSON.parse(readFileSync(file, 'utf8')) as object);
    for (const scenario of [...Object.values(mockScenarios), everything]) {
      expect(validate(scenario), JSON.stringify(validate.errors)).toBe(true);
    }
    for (const invalid of [{ payment: [] }, { payments: [{ amount: 5 }] }, { faults: [{ endpoint: '*' }] }])
      expect(validate(invalid)).toBe(false);
  });
});

test('later changes to an added scenario do not change it', () => {
  const platform = createMockPlatform();
  const scenario = { payments: [{ id: 'pay_a' }] };
  platform.scenarios.add('mine', scenario);
  scenario.payments[0] = { id: 'pay_b' };
  platform.scenarios.load('mine');
  expect(platform.payments.all().map(({ id }) => id)).toEqual(['pay_a']);
});
