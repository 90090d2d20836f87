import assert from 'node:assert/strict';
import { cpSync } from 'node:fs';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import * as asModule from 'corridor-sdk';
import { createMockPlatform, MockPlatformError } from 'corridor-sdk/mock';

// Both builds of one copy, and a second copy of the package as a dependency of ours would bring it.
const require = createRequire(import.meta.url);
const other = fileURLToPath(new URL('node_modules/a-dependency/node_modules/corridor-sdk/', import.meta.url));
cpSync(fileURLToPath(new URL('node_modules/corridor-sdk/', import.meta.url)), other, { recursive: true });
const copies = {
  'the ES modules': asModule,
  'the CommonJS build': require('corridor-sdk'),
  'another copy, as ES modules': await import(`${other}dist/index.js`),
  'another copy, in CommonJS': require(`${other}dist/index.cjs`),
};
const classes = Object.keys(asModule).filter((name) => name.endsWith('Error'));

test('the copies are copies', () => {
  assert.equal(new Set(Object.values(copies).map(({ CorridorError }) => CorridorError)).size, 4);
  assert.ok(classes.length >= 15, `${classes.length} classes of errors`);
});

test('the names of the exports are those of what they print', () => {
  for (const [of, copy] of Object.entries(copies))
    for (const name of ['Corridor', ...classes]) assert.equal(copy[name].name, name, of);
});

for (const [of, { Corridor }] of Object.entries(copies)) {
  test(`an error of ${of} is an instance of the classes of every copy`, async () => {
    const platform = createMockPlatform({ seed: 1 });
    platform.faults.next('crypto.networks', { kind: 'rate-limit', retryAfterSeconds: 1 });
    const client = new Corridor({ ...platform.clientOptions(), maxRetries: 0 });

    const error = await client.crypto.networks().catch((reason) => reason);

    for (const [by, copy] of Object.entries(copies)) {
      const is = classes.filter((name) => error instanceof copy[name]).toSorted();
      assert.deepEqual(is, ['ApiError', 'CorridorError', 'RateLimitError'], `by the classes of ${by}`);
    }
  });
}

test('so is an error of the mock', () => {
  const classic = require('corridor-sdk/mock');
  assert.notEqual(classic.MockPlatformError, MockPlatformError);
  assert.throws(
    () => classic.createMockPlatform({ seed: 1 }).payments.transition('pay_unknown', 'APPROVED'),
    MockPlatformError,
  );
});
