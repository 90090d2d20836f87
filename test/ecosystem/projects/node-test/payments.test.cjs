const assert = require('node:assert/strict');
const { after, before, test } = require('node:test');
const { Corridor } = require('corridor-sdk');
const { createMockPlatform } = require('corridor-sdk/mock');
const { serveMockPlatform } = require('corridor-sdk/mock/node');

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
