import { Corridor } from 'corridor-sdk';
import { createMockPlatform } from 'corridor-sdk/mock';
import { expect, test } from 'vitest';

// As corridor verify writes it.
const file = JSON.stringify({
  version: 1,
  dialect: { filterNames: { createdFrom: 'created_after' }, amountFormat: { decimals: 2 } },
  behavior: { quotes: 'reusable', listOrder: 'oldest-first', maxRequestBytes: 5000 },
  rows: { 'A-14: the field that the two timestamp filters compare': 'confirmed' },
});
const content = JSON.parse(file) as object;

test('the content of corridor.platform.json is an option, and its dialect as that of a client', async () => {
  const platform = createMockPlatform({ platform: content });
  const { dialect } = content as { readonly dialect: object };
  const corridor = new Corridor({ ...platform.clientOptions(), dialect });
  const order = platform.payments.createParams({ amount: '10.00' });

  const first = await corridor.payments.create(order);
  const second = await corridor.payments.create(order);
  const listed = await corridor.payments.list({ createdFrom: '2020-01-01T00:00Z' });

  expect(listed.items.map(({ id }) => id)).toEqual([first.id, second.id]);
  expect(platform.requests.to('payments.list')[0]?.query).toEqual({ created_after: '2020-01-01T00:00Z' });
  expect(platform.maxRequestBytes).toBe(5000);
});

test('options beside the measured behavior override it, and reset restores both', () => {
  const platform = createMockPlatform({ platform: content, listOrder: 'shuffled' });
  const value = (option: string): unknown => platform.assumptions().find((each) => each.option === option)?.value;

  platform.configure({ quotes: 'single-use' });
  expect([value('quotes'), value('listOrder')]).toEqual(['single-use', 'shuffled']);
  platform.reset();

  expect([value('quotes'), value('listOrder')]).toEqual(['reusable', 'shuffled']);
});

test.each([
  [{ version: 2 }, 'createMockPlatform: platform.version must be 1'],
  [{ behavior: { listOrder: 'random' } }, 'platform.behavior.listOrder must be one of'],
  [{ behavior: { dialect: {} } }, 'platform.behavior.dialect is not a known field'],
  [{ dialect: { amountFormat: { separator: ' ' } } }, 'platform.dialect.amountFormat.separator must be one of'],
])('%j is rejected', (options, message) => {
  expect(() => createMockPlatform({ platform: options as object })).toThrow(message);
});
