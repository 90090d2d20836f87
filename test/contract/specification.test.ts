import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { endpoints } from '../../src/contract/endpoints.js';
import { pageSize } from '../../src/contract/schema/pagination.js';
import { differences, factsOf } from './description.js';
import { specification } from './specification.js';
import { readContract } from './read-schema.js';

const document = readFileSync(new URL('../../docs/platform-specification.md', import.meta.url), 'utf8');

test('the contract agrees with the specification on every endpoint, field, type, value and limit', () => {
  expect(differences(factsOf(specification), factsOf(readContract(endpoints)))).toEqual([]);
});

test('the default page size is that of the specification', () => {
  expect(document).toContain(
    `\`limit\` integer, default ${pageSize.default}, range ${pageSize.smallest} to ${pageSize.largest}`,
  );
});

test('the document of the specification has every path, field and value', () => {
  const assumed = ['createdFrom', 'createdTo', 'status', 'BANK_ACCOUNT'];
  const words = [...factsOf(specification)].flatMap(([place, says]) => [
    ...(place.match(/\w+$/)?.[0] === undefined || /^\d+(?: \w+)?$/.test(place) ? [] : [place.match(/\w+$/)![0]]),
    ...(/\/api\S+/.exec(says) ?? []),
    ...(/one of ([A-Z_ |]+)/.exec(says)?.[1]?.trim().split(' | ') ?? []),
  ]);
  expect(words.length).toBeGreaterThan(300);
  expect(words.filter((word) => !assumed.includes(word) && !document.includes(word))).toEqual([]);
});
