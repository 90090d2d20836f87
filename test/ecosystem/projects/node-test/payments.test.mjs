import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Corridor } from 'corridor-sdk';
import { createMockPlatform } from 'corridor-sdk/mock';
import { serveMockPlatform } from 'corridor-sdk/mock/node';

const platform = createMockPlatform({ seed: 1 });
let served;
before(async () => (served = await serveMockPlatform({ seed: 1 })));
after(() => served.close());

test('a held person is seen', async () => {
  const person = platform.persons.add({ screening: { openMatches: [{ isMatch: true }] } });

  const { subject } = await new Corridor(platform.clientOptions()).screening.get(person.customerId, person.id);

  assert.equal(subject.openMatchCount, 1);
});

test('a file is downloaded over HTTP', async () => {
  const document = served.platform.documents.add({ content: 'invoice 4711', contentType: 'text/plain' });

  const response = await new Corridor(served.clientOptions()).documents.download(document.id);

  assert.equal(await response.text(), 'invoice 4711');
});
