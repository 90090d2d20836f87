import fc from 'fast-check';
import { createMockPlatform, type MockPlatform } from 'corridor-sdk/mock';
import { describe, expect, test } from 'vitest';

const kinds = ['customers', 'beneficiaries', 'persons', 'documents', 'quotes', 'payments', 'tickets'] as const;
type Kind = (typeof kinds)[number];

/** The untyped methods of the records of one kind. */
interface Records {
  add(input: object): { readonly id: string };
  all(): readonly { readonly id: string }[];
  update(id: string, partial: object): unknown;
  remove(id: string): void;
}
const recordsOf = (platform: MockPlatform, kind: Kind): Records => platform[kind] as unknown as Records;

/** Calls a method that may reject its input. */
function attempt(call: () => unknown): boolean {
  try {
    call();
    return true;
  } catch (error) {
    expect(error).toMatchObject({ name: 'MockPlatformError' });
    return false;
  }
}

/** Expects that a snapshot, written as JSON, restores the same state on another platform. */
function expectRestorable(platform: MockPlatform): void {
  const snapshot = platform.snapshot();
  const text = JSON.stringify(snapshot);
  const other = createMockPlatform({ seed: platform.seed });
  other.restore(JSON.parse(text) as typeof snapshot);
  expect(JSON.parse(JSON.stringify(other.snapshot()))).toEqual(JSON.parse(text));
  for (const kind of kinds) expect(other[kind].all()).toEqual(platform[kind].all());
}

const frozenPlatform = (seed: number | string): MockPlatform => {
  const platform = createMockPlatform({ seed });
  platform.clock.set('2026-03-01T09:00:00Z');
  return platform;
};

const values = fc.oneof(
  fc.constantFrom(
    null,
    '',
    'NEW_STATUS',
    '-1',
    '0.00',
    0,
    1,
    true,
    [],
    {},
    '2026-02-30T00:00:00Z',
    '2026-02-28T00:00:00Z',
  ),
  fc.string({ unit: 'binary' }),
  fc.jsonValue({ maxDepth: 2 }),
);

interface Step {
  readonly action: 'add' | 'update' | 'remove';
  readonly kind: Kind;
  /** Chooses the record and the field. */
  readonly at: number;
  readonly value: unknown;
}

/** Returns fields with one of them set to a value, in an object of the record if `at` says so. */
function changeOf(record: object, { at, value }: Step): object {
  const fields = Object.entries(record).filter(([name]) => !['id', 'createdAt'].includes(name));
  const [name, field] = fields[at % fields.length] as [string, unknown];
  if (at % 2 === 1 && typeof field === 'object' && field !== null && !Array.isArray(field)) {
    const inner = Object.keys(field);
    return { [name]: { ...field, [inner[at % inner.length] ?? 'other']: value } };
  }
  return { [name]: value };
}

function apply(platform: MockPlatform, step: Step): void {
  const records = recordsOf(platform, step.kind);
  const present = records.all();
  const record = present[step.at % present.length];
  if (step.action === 'add' || record === undefined) {
    const { id } = records.add({});
    const example = records.all().find((each) => each.id === id) ?? {};
    attempt(() => records.add(changeOf(example, step)));
  } else if (step.action === 'update') attempt(() => records.update(record.id, changeOf(record, step)));
  else attempt(() => records.remove(record.id));
}

describe('a snapshot restores the same state', () => {
  test('after any calls of the builders', () => {
    const step: fc.Arbitrary<Step> = fc.record({
      action: fc.constantFrom('add', 'update', 'update', 'update', 'remove'),
      kind: fc.constantFrom(...kinds),
      at: fc.nat(200),
      value: values,
    });
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 12 }), (steps) => {
        const platform = frozenPlatform('steps');
        for (const each of steps) apply(platform, each);
        expectRestorable(platform);
      }),
      { numRuns: process.env['CORRIDOR_SOAK'] === '1' ? 1000 : 60 },
    );
  });

  test.each([1, 2, 3, 4, 5])('after populate with the seed %i', (seed) => {
    const platform = frozenPlatform(seed);
    platform.populate({ payments: 60 });
    expectRestorable(platform);
  });

  test('after each scenario', () => {
    const names = createMockPlatform()
      .scenarios.list()
      .map(({ name }) => name);
    for (const name of names.filter((each) => each !== 'month-end')) {
      const platform = frozenPlatform(1);
      platform.scenarios.load(name);
      expectRestorable(platform);
    }
    expect(names.length).toBeGreaterThan(3);
  });
});
