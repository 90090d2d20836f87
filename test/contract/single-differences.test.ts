import { describe, expect, test } from 'vitest';
import {
  InvalidResponseError,
  Page,
  PaymentMismatchError,
  type CorridorOptions,
  type Drift,
  type EndpointName,
} from 'corridor-sdk';
import { endpointNames, endpoints } from '../../src/contract/endpoints.ts';
import { calls, goodInput, idsOf } from '../support/calls.ts';
import { scripted } from '../support/scripted-fetch.ts';
import { changedRecords } from '../openapi/changed-records.ts';
import { collectMockResponses } from '../openapi/mock-responses.ts';
import { factsOf } from '../../scripts/specification/description.ts';
import { specification } from '../../scripts/specification/specification.ts';

// Every response of a valid platform, with one difference to the specification, through the client.
const facts = factsOf(specification);
const { responses } = await collectMockResponses();
const names = (Object.keys(endpoints) as EndpointName[]).filter((name) => 'result' in endpoints[name]);

type Body = Readonly<Record<string, unknown>>;

/** The responses of an endpoint with the most fields; of a page only its last record, without another page. */
function samples(name: EndpointName): Body[] {
  const all = (responses.get(name) ?? []) as Body[];
  const longest = all.toSorted((one, other) => JSON.stringify(other).length - JSON.stringify(one).length);
  // The two creates are funded in crypto and from a bank account.
  return longest
    .slice(0, name === 'payments.create' ? 2 : 1)
    .map((body) =>
      Array.isArray(body['items']) && 'nextCursor' in body
        ? { ...body, items: body['items'].slice(-1), nextCursor: null, ...('hasMore' in body && { hasMore: false }) }
        : body,
    );
}

interface Heard {
  /** The records that the client returned, without their envelope. */
  readonly data?: unknown;
  readonly error?: unknown;
  readonly drift: readonly Drift[];
}

async function callWith(
  name: EndpointName,
  body: unknown,
  options: CorridorOptions = {},
  requested: Body = {},
): Promise<Heard> {
  const drift: Drift[] = [];
  const { corridor } = scripted(() => body, { maxRetries: 0, onDrift: (each) => drift.push(each), ...options });
  const ids = Object.fromEntries(idsOf(name).map(([parameter]) => [parameter, 'id_1']));
  try {
    const { cursor: _, ...input } = { ...goodInput[name], ...ids, ...requested } as Body;
    const data = await calls[name](corridor, input);
    return { data: data instanceof Page ? data.items : data, drift };
  } catch (error) {
    return { error, drift };
  }
}

/** Returns the records in the envelope of an endpoint, whose only other fields are those of pages, or the body. */
function recordsOf(name: EndpointName, body: Body): unknown {
  const [[field = '', value] = [], ...others] = Object.entries(samples(name)[0] as Body);
  return body['items'] ?? (Array.isArray(value) && others.length === 0 ? body[field] : body);
}

/** What the specification and the assumptions say of a path of a response. */
function factAt(name: EndpointName, body: unknown, path: string): string {
  let place = `${endpointNames.indexOf(name) + 1} response`;
  let value: unknown = body;
  for (const [, index, key = ''] of path.matchAll(/\[(\d+)\]|\.?([^.[\]]+)/g)) {
    const [, discriminator] = /^variants by (\w+)/.exec(facts.get(place) ?? '') ?? [];
    if (discriminator !== undefined) place += `<${String((value as Body)[discriminator])}>`;
    place += index === undefined ? `.${key}` : '[]';
    value = (value as Body)[index ?? key];
  }
  return facts.get(place) ?? 'not shown';
}

/** Whether an object at a path may have fields that are not shown. */
const isOpen = (name: EndpointName, body: unknown, path: string): boolean =>
  factAt(name, body, `${path}.fundingType`) === 'string, one of BANK_ACCOUNT' && !path.endsWith('totals');

const stillRequired = /(?:^|\.)(?:paymentQuoteId|nextCursor|minAmountUsd|maxAmountUsd)$/;
const essential =
  /(?:^|\.)(?:id|customerId|(?<!subject\.)beneficiaryId|amount|currencyCode|status|paymentAmount|finalAmountUsd)$/;

// Another value of these is another payment.
const identifying = /^(?:paymentQuoteId|amount|currencyCode|customerId|beneficiaryId)$/;

/** What the client makes of a change: nothing, drift or an error; undefined if it may be either of the last two. */
function expected(
  name: EndpointName,
  body: Body,
  what: string,
  path: string,
): 'nothing' | 'drift' | 'error' | undefined {
  const fact = factAt(name, body, path);
  switch (what) {
    case 'new field':
      return isOpen(name, body, path) ? 'nothing' : 'drift';
    case 'gone':
      if (fact.endsWith(', optional')) return 'nothing';
      return fact.includes(', or null') && !stillRequired.test(path) ? 'drift' : 'error';
    case 'null':
      if (fact.includes(', or null')) return 'nothing';
      if (!fact.startsWith('string') || essential.test(path)) return 'error';
      return undefined;
    case 'another value':
      return fact.includes(', one of ') ? 'drift' : 'nothing';
    default:
      return 'error';
  }
}

/** Returns a copy of a body with null in one place. */
function withNull(body: unknown, path: string): Body {
  const copy = structuredClone(body) as Body;
  const steps = path.match(/[^.[\]]+/g) ?? [];
  const parent = steps.slice(0, -1).reduce<unknown>((place, step) => (place as Body)[step], copy);
  (parent as Record<string, unknown>)[steps.at(-1) ?? ''] = null;
  return copy;
}

describe.each(names)('%s', (name) => {
  test.each(samples(name).map((body, index) => [index, body] as const))(
    'with one difference in response %i is returned, drift or an InvalidResponseError',
    async (_, body) => {
      const { paymentQuoteId, amount, currencyCode, customerId, beneficiaryId } = body;
      const order = { paymentQuoteId, amount, currencyCode, customerId, beneficiaryId };
      const requested = name === 'payments.create' ? order : {};
      expect(await callWith(name, body, { validation: 'strict' }, requested)).toEqual({
        data: recordsOf(name, body),
        drift: [],
      });
      for (const { what: change, record } of changedRecords(body)) {
        const [what = '', at = ''] = change.split(': ');
        const path = what !== 'new field' ? at : at === '' ? 'somethingNew' : `${at}.somethingNew`;
        const [standard, strict, observe] = [
          await callWith(name, structuredClone(record), {}, requested),
          await callWith(name, structuredClone(record), { validation: 'strict' }, requested),
          await callWith(name, structuredClone(record), { validation: 'observe' }, requested),
        ];
        if (standard.error instanceof PaymentMismatchError) {
          expect({ what, at }).toEqual({ what: 'another value', at: expect.stringMatching(identifying) as unknown });
          continue;
        }
        if (what === 'another value' && at === 'paymentQuote.id') {
          // The quote of the payment is paymentQuoteId.
          const differs = [expect.objectContaining({ kind: 'changed-value', path: at }) as unknown];
          expect(standard).toMatchObject({ data: record, drift: differs });
          continue;
        }
        const is = expected(name, body, what, at) ?? (standard.error === undefined ? 'drift' : 'error');
        const paths = is === 'nothing' ? [] : [path];
        const data = recordsOf(name, (what === 'gone' && is === 'drift' ? withNull(record, at) : record) as Body);

        expect({ change, drift: observe.drift.map((each) => each.path) }).toEqual({ change, drift: paths });
        expect({ change, drift: standard.drift }).toEqual({ change, drift: is === 'error' ? [] : observe.drift });
        if (is === 'error') expectError(change, standard, paths);
        else expect({ change, data: standard.data }).toEqual({ change, data });
        if (is === 'nothing') expect({ change, data: strict.data }).toEqual({ change, data });
        else expectError(change, strict, paths);
      }
    },
  );

  test.each([[null], [[]], ['text'], [5], [true]])('that is %j is an InvalidResponseError', async (body) => {
    for (const validation of ['standard', 'strict'] as const)
      expectError('', await callWith(name, body, { validation }), ['']);
  });
});

function expectError(change: string, { error }: Heard, paths: readonly string[]): void {
  expect({ change, error }).toEqual({ change, error: expect.any(InvalidResponseError) as unknown });
  const { issues, outcome } = error as InvalidResponseError;
  expect({ change, outcome, paths: issues.map(({ path }) => path) }).toEqual({ change, outcome: 'applied', paths });
}

// The specification shows no body of these responses.
describe.each(['support.attachmentUrl', 'documents.downloadUrl'] as const)('%s', (name) => {
  test('is exactly one URL in any field, or an InvalidResponseError', async () => {
    const url = 'https://files.example/doc_1?signature=1';
    const bodies = [{ url, expiresAt: '2026-03-01T09:05:00.000Z' }, { data: { link: url } }, url];
    for (const body of bodies) {
      expect(await callWith(name, body)).toMatchObject({ data: { url } });
      for (const { what, record } of changedRecords(body)) {
        const hasUrl = JSON.stringify(record).includes(url);
        const { error, data } = await callWith(name, record);
        expect({ what, data, error }).toMatchObject(
          hasUrl ? { what, data: { url } } : { what, error: expect.any(InvalidResponseError) as unknown },
        );
      }
    }
    for (const body of [null, [], {}, 5, true, [url, `${url}2`]])
      expectError(JSON.stringify(body), await callWith(name, body), ['']);
  });
});

describe.each(['support.reply', 'documents.delete'] as const)('%s', (name) => {
  test.each([[{ id: 'rep_1' }], [null], [[]], ['text'], [5]])('accepts the body %j', async (body) => {
    for (const validation of ['standard', 'strict'] as const) {
      const { error, drift } = await callWith(name, body, { validation });
      expect({ error, drift }).toEqual({ error: undefined, drift: [] });
    }
  });
});
