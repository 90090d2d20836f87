import { paymentCurrencies, type EndpointName } from 'corridor-sdk';
import { describe, expect, test } from 'vitest';
import { validateResponse, validateRequest } from '../../src/contract/violations.ts';
import { resolveDialect } from '../../src/contract/dialect.ts';
import { type EndpointDefinition, endpoints } from '../../src/contract/endpoints.ts';
import { responseSchema, document, operationOf, validatorOf, violations } from './document.ts';
import { collectMockResponses } from './mock-responses.ts';
import { changedRecords } from './changed-records.ts';

const jsonEndpoints = (Object.keys(endpoints) as EndpointName[]).filter((name) => 'result' in endpoints[name]);
const { responses, errors, created } = await collectMockResponses();

describe.each(jsonEndpoints)('the responses of %s', (name) => {
  const endpoint: EndpointDefinition<unknown> = endpoints[name];
  const validate = validatorOf(responseSchema(operationOf(endpoint), endpoint.success));

  test('conform to openapi.json', () => {
    const bodies = responses.get(name) ?? [];
    expect(bodies).not.toEqual([]);
    expect(bodies.flatMap((body) => violations(validate, body))).toEqual([]);
  });

  test('do not conform if a field is missing, null or of another type, and do with an additional field or value', () => {
    const schema = endpoint.result?.() ?? expect.unreachable();
    const bodies = (responses.get(name) ?? []).slice(0, 4);
    const changed = bodies.flatMap((body) => changedRecords(body));
    const worse = (body: unknown): boolean =>
      validateResponse(schema, body).some(({ kind }) =>
        ['missing-field', 'wrong-type', 'unexpected-null'].includes(kind),
      );
    const found = changed.map(({ what, record }) => ({ what, conforms: validate(record), breaks: worse(record) }));
    expect(found.filter(({ conforms, breaks }) => conforms === breaks)).toEqual([]);
    // Or the one could be as wrong as the other.
    expect(
      found.filter(
        ({ what, conforms }) =>
          /^(?:gone|another type): (?:items\[0\]\.|methods\[0\]\.|networks\[0\]\.|subject\.)?\w*[iI]d$/.test(what) &&
          name !== 'customers.activity' &&
          conforms,
      ),
    ).toEqual([]);
    expect(found.filter(({ what, conforms }) => what.startsWith('new field') && !conforms)).toEqual([]);
    expect(new Set(found.map(({ conforms }) => conforms))).toEqual(new Set([true, false]));
  });
});

describe('a new payment', () => {
  const dialect = resolveDialect();
  const validate = validatorOf(document.components.schemas['PaymentCreateParams'] ?? {});

  test('conforms to openapi.json as the client sends it', () => {
    expect(created).toHaveLength(2);
    expect(created.flatMap((order) => violations(validate, order))).toEqual([]);
  });

  test('is rejected by openapi.json exactly if the contract rejects it', () => {
    const memos = ['x'.repeat(64), 'x'.repeat(65), '💶'.repeat(64), '💶'.repeat(65), ''].map((memo) => ({
      what: `memo of ${memo.length}`,
      record: { ...Object(created[0]), memo } as unknown,
    }));
    const texts = [
      '0.5',
      '1.',
      '-1',
      '1e3',
      '',
      ' 1',
      '0',
      '0.00',
      '1.5',
      '1.25',
      '1.125',
      '1.1250',
      '1.2500',
      '1.00000',
    ];
    const amounts = paymentCurrencies.flatMap((currencyCode) =>
      texts.map((amount) => ({
        what: `amount ${amount} ${currencyCode}`,
        record: { ...Object(created[0]), amount, currencyCode } as unknown,
      })),
    );
    const changed = [...created.flatMap((order) => changedRecords(order)), ...memos, ...amounts];
    const found = changed.map(({ what, record }) => ({
      what,
      conforms: validate(record),
      issues: validateRequest(endpoints['payments.create'].body(dialect), record),
    }));
    expect(found.filter(({ conforms, issues }) => conforms !== (issues.length === 0))).toEqual([]);
    expect(
      found
        .filter(({ what }) => what.startsWith('new field') || what.startsWith('gone: amount'))
        .map(({ conforms }) => conforms),
    ).toContain(false);
  });
});

test('error bodies conform to openapi.json', () => {
  const validate = validatorOf(document.components.schemas['ErrorBody'] ?? {});
  expect(errors).toHaveLength(5);
  const otherShapes = [
    { error: { code: 'gone', message: 'gone' } },
    { type: 'about:blank', title: 'Gone', status: 410, detail: 'gone' },
    { statusCode: 410, message: 'gone', error: 'Gone' },
    {},
  ];
  expect([...errors, ...otherShapes].flatMap((body) => violations(validate, body))).toEqual([]);
  expect(validate({ code: 401 })).toBe(false);
});
