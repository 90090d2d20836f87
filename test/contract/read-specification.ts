import type { Description, EndpointDescription } from './description.js';
import { cell, Document, fail } from './document.js';
import { readFields } from './field-list.js';
import type { Table } from './markdown.js';
import { Records } from './read-records.js';

const title = 'Endpoints';

/** Everything the tables and lists of the specification say of the endpoints. */
export function readSpecification(source: string): EndpointDescription[] {
  const document = new Document(source);
  const records = new Records(document);
  return document.table(title).map((row) => {
    const number = Number(cell(row, '#'));
    const described = {
      number,
      method: cell(row, 'Method'),
      path: cell(row, 'Path'),
      response: describeResponse(cell(row, 'Response'), records),
    };
    const request = cell(row, 'Request');
    switch (request) {
      case 'none':
        return described;
      case 'JSON body: payment create request':
        return { ...described, request: records.paymentCreate() };
      case 'JSON body below':
        return { ...described, request: bodyOf(document.after(title, new RegExp(`^Endpoint ${number} body: `))) };
      case 'query filters below':
      case 'query `limit`, `cursor`':
        return {
          ...described,
          query: queryOf(document.line(title, new RegExp(`^Endpoint ${number}\\b.*(?:filters|\`cursor\`)`)), request),
        };
      default:
        return fail(`not a request: ${request}`);
    }
  });
}

/** The rows of the table of limits. */
export function readLimits(source: string): Table {
  return new Document(source).table('Limits');
}

function describeResponse(phrase: string, records: Records): Description {
  const envelope = (field: string, element: Description): Description => ({
    type: 'object',
    fields: new Map([[field, { type: 'array', element }]]),
  });
  const [, field, record] = /^\{(\w+): array of (?:crypto )?(.+)\}$/.exec(phrase) ?? [];
  if (field !== undefined && record !== undefined) return envelope(field, records.crypto(record));
  switch (phrase) {
    case 'payment record including `paymentQuote`':
      return records.payment('paymentQuote');
    case 'page envelope of payment records with `authorization`':
      return records.page(records.payment('authorization'));
    case 'page envelope of customers':
      return records.page(records.customer());
    case 'customer':
      return records.customer();
    case '{items: activity entries}':
      return envelope('items', records.activity());
    case 'page envelope of beneficiaries':
      return records.page(records.beneficiary());
    case 'person screening result':
      return records.screening();
    case '{items: screening history items, nextCursor}':
      return records.history(records.screeningRun());
    case 'status 201':
      return { type: 'not shown', rules: ['status 201'] };
    case 'download URL of the attachment':
    case 'signed download URL of the document':
    case 'deletes the document':
      return { type: 'not shown' };
    default:
      return fail(`not an answer: ${phrase}`);
  }
}

type Filter = readonly [name: string, described: Description];

const filters: readonly (readonly [RegExp, (...groups: string[]) => Filter[]])[] = [
  [
    /status filter \((?:values )?([A-Z_, ]+)\)/,
    (values = '') => [['<status filter>', { type: 'string', values: values.split(', ') }]],
  ],
  [
    /two timestamp filters, each (an ISO 8601 UTC date-time ending in Z)/,
    (rule = '') => [
      ['<timestamp filter 1>', { type: 'string', rules: [rule] }],
      ['<timestamp filter 2>', { type: 'string', rules: [rule] }],
    ],
  ],
  [/page size,? (?:integer )?(\d+ to \d+)/, (range = '') => [['<page size>', { type: 'integer', rules: [range] }]]],
  [/[Cc]ursor-based pagination/, () => [['<cursor>', { type: 'string' }]]],
  [
    /`limit` integer, default \d+, range (\d+ to \d+)/,
    (range = '') => [['limit', { type: 'integer', rules: [range] }]],
  ],
  [/`cursor` string/, () => [['cursor', { type: 'string' }]]],
];

/** The filters of a list. Those without a name in the specification are in angle brackets. */
function queryOf(detail: string, request: string): Description {
  const found = new Map(
    filters.flatMap(([pattern, read]) => {
      const [match, ...groups] = pattern.exec(detail) ?? [];
      return match === undefined ? [] : read(...groups);
    }),
  );
  for (const [, name = ''] of request.matchAll(/`(\w+)`/g)) if (!found.has(name)) fail(`no details of ${name}`);
  return {
    type: 'object',
    fields: new Map([...found].map(([name, described]) => [name, { ...described, optional: true }])),
  };
}

function bodyOf(list: string): Description {
  return { type: 'object', fields: readFields(list, { types: new Map(), fields: new Map() }) };
}
