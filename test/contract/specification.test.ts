import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { endpoints } from '../../src/contract/endpoints.ts';
import { pageSize } from '../../src/contract/schema/page.ts';
import { readMarkdown, type Section } from '../docs/markdown.ts';
import { differences, factsOf } from '../../scripts/specification/description.ts';
import { specification } from '../../scripts/specification/specification.ts';
import { readContract } from './read-schema.ts';

const contract = factsOf(readContract(endpoints));

test('the contract agrees with the specification on every endpoint, field, type, value and limit', () => {
  expect(differences(factsOf(specification), contract)).toEqual([]);
});

// The document may say less than the contract, which can have fields that were added since, but nothing else.
describe('the contract has what the document of the specification names:', () => {
  const document = readFileSync(new URL('../../docs/platform-specification.md', import.meta.url), 'utf8');
  const sections = readMarkdown(document);
  const rowsOf = (title: string): Readonly<Record<string, string>>[] => sections.get(title)?.tables.flat() ?? [];

  /** The place in the contract of the record that a section describes; both, if it describes two. */
  const places: Readonly<Record<string, readonly string[]>> = {
    'Payment create request': ['1 request'],
    'Payment record (response of create; item of payment list)': ['1 response', '2 response.items[]'],
    'Payment quote (inside the create response)': ['1 response.paymentQuote'],
    'Price breakdown': ['1 response.paymentQuote<CRYPTO>.priceBreakdown'],
    'Payment authorization snapshot (payment list items)': ['2 response.items[].authorization'],
    'Customer (list item and detail)': ['3 response.items[]', '4 response'],
    'Beneficiary (list item)': ['6 response.items[]'],
    'Customer activity entry': ['5 response.items[]'],
    'Crypto records': ['9 response', '10 response'],
    'Person screening result': ['7 response'],
    'Screening history item': ['8 response.items[]'],
  };
  const titles = [...sections.keys()];
  const records = titles.slice(
    titles.indexOf('Resources and their fields') + 1,
    titles.indexOf('States and transitions'),
  );

  test.each(records.filter((title) => !['Conventions', 'Other records'].includes(title)))('%s', (title) => {
    const named = wordsOf(sections.get(title)!);
    const known = places[title]?.flatMap(namesBelow) ?? [];
    expect(named.length).toBeGreaterThan(4);
    expect(named.filter((word) => !known.includes(word))).toEqual([]);
  });

  test('every word in backquotes', () => {
    const named = [...document.matchAll(/`(\w+)`/g)].map(([, word = '']) => word);
    const known = namesBelow('');
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter((word) => !known.includes(word))).toEqual([]);
  });

  test.each(rowsOf('Endpoints'))('$Method $Path', ({ '#': number = '', Method: method, Path: path }) => {
    expect(contract.get(number)).toBe(`${method} ${path}`);
  });

  test.each(rowsOf('States and transitions'))(
    'the statuses of a $Record',
    ({ Record: record = '', 'Status values': values = '' }) => {
      const number = new Map([
        ['Payment', 2],
        ['Customer', 3],
        ['Beneficiary', 6],
      ]).get(record);
      const statuses = contract.get(`${number} response.items[].status`) ?? '';
      expect(statuses.replace('string, one of ', '').split(' | ')).toEqual(expect.arrayContaining(values.split(', ')));
      expect(contract.get(`${number} query.status`)).toBe(`${statuses}, optional`);
    },
  );

  test.each(rowsOf('Limits'))('the limit of $Limit', ({ Limit: limit = '', Value: value = '' }) => {
    const limits: Readonly<Record<string, readonly (string | undefined)[]>> = {
      'page size': [2, 3, 6, 8].map((number) => contract.get(`${number} query.limit`)),
      'default page size': [String(pageSize.default)],
      'memo length': [contract.get('1 request.memo')],
      'purposeOfPayment length': [contract.get('1 request.purposeOfPayment')],
      'documentIds count': [contract.get('1 request.documentIds')],
    };
    for (const says of limits[limit] ?? ['nothing']) expect(says).toContain(value.replace('integer ', 'integer, '));
  });
});

/** The words of a section that stand alone between marks, which are its fields and values, without those of types. */
function wordsOf({ lines, tables }: Section): string[] {
  const others =
    /^(?:strings?|integer|boolean|array|object|null|required|optional|yes|no|below|client|transitions|bank|funded|its|value)$/;
  return [...lines, ...tables.flat().flatMap((row) => Object.values(row))]
    .flatMap((text) => text.split(/[^\w ]| (?:and|or) |\b(?:enum|constant)\b/))
    .map((word) => word.trim())
    .filter((word) => /^[A-Za-z]\w*$/.test(word) && !others.test(word));
}

/** The fields and values of the contract below a place. */
function namesBelow(place: string): string[] {
  return [...contract]
    .filter(([path]) => path.startsWith(place))
    .flatMap(([path, says]) => [
      ...path.slice(place.length).split(/\W+/),
      ...(/one of ([\w |]+)/.exec(says)?.[1]?.split(' | ') ?? []),
    ]);
}
