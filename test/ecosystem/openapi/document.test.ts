import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { createConfig, lintFromString } from '@redocly/openapi-core';

const text = readFileSync(new URL('../../../docs/openapi.json', import.meta.url), 'utf8');

/** Returns the problems that Redocly's strictest rules find in a document. */
async function problems(source: string): Promise<string[]> {
  const config = await createConfig({ extends: ['recommended-strict'] });
  const found = await lintFromString({ source, absoluteRef: 'openapi.json', config });
  return found.map(({ ruleId, message }) => `${ruleId}: ${message}`);
}

test('the linter has nothing to say of openapi.json', async () => {
  assert.deepEqual(await problems(text), []);
});

test('the linter would find a reference to nowhere, an example that does not conform, an operation without a name', async () => {
  const broken = [
    text.replace('"#/components/schemas/Customer"', '"#/components/schemas/Nobody"'),
    text.replace('"isMatch": true', '"isMatch": "yes"').replace('"isMatch": false', '"isMatch": "no"'),
    text.replace('"operationId": "customersGet"', '"operationId": "customersList"'),
  ];
  for (const source of broken) {
    assert.notEqual(source, text);
    assert.notDeepEqual(await problems(source), []);
  }
});
