import type { EndpointName } from 'corridor-sdk';
import { describe, expect, test } from 'vitest';
import { answerFindings, requestIssues } from '../../src/contract/check.js';
import { resolveDialect } from '../../src/contract/dialect.js';
import type { Endpoint } from '../../src/contract/endpoint.js';
import { endpoints } from '../../src/contract/endpoints.js';
import { answerSchema, document, operationOf, validatorOf, violations } from './document.js';
import { answersOfMock } from './answers-of-mock.js';
import { changedRecords } from './changed-records.js';

const jsonEndpoints = (Object.keys(endpoints) as EndpointName[]).filter((name) => endpoints[name].answer === 'json');
const { answered, refused, created } = await answersOfMock();

describe.each(jsonEndpoints)('the answers of %s', (name) => {
  const endpoint: Endpoint<unknown> = endpoints[name];
  const validate = validatorOf(answerSchema(operationOf(endpoint), endpoint.success));

  test('conform to openapi.json', () => {
    const bodies = answered.get(name) ?? [];
    expect(bodies).not.toEqual([]);
    expect(bodies.flatMap((body) => violations(validate, body))).toEqual([]);
  });

  test('no longer conform when a field is gone, null or of another type, and still do when something is new', () => {
    const schema = endpoint.result?.() ?? expect.unreachable();
    const bodies = (answered.get(name) ?? []).slice(0, 4);
    const changed = bodies.flatMap((body) => changedRecords(body));
    const worse = (body: unknown): boolean => answerFindings(schema, body).some(({ kind }) => ['missing-field', 'wrong-type', 'unexpected-null'].includes(kind));
    const told = changed.map(({ what, record }) => ({ what, conforms: validate(record), breaks: worse(record) }));
    expect(told.filter(({ conforms, breaks }) => conforms === breaks)).toEqual([]);
    // Or the one could be as wrong as the other.
    expect(told.filter(({ what, conforms }) => /^(?:gone|another type): (?:items\[0\]\.|methods\[0\]\.|networks\[0\]\.|subject\.)?\w*[iI]d$/.test(what) && name !== 'customers.activity' && conforms)).toEqual([]);
    expect(told.filter(({ what, conforms }) => what.startsWith('new field') && !conforms)).toEqual([]);
    expect(new Set(told.map(({ conforms }) => conforms))).toEqual(new Set([true, false]));
  });
});

describe('a new payment', () => {
  const dialect = resolveDialect();
  const validate = validatorOf(document.components.schemas['PaymentCreate'] ?? {});

  test('conforms to openapi.json as the client sends it', () => {
    expect(created).toHaveLength(2);
    expect(created.flatMap((order) => violations(validate, order))).toEqual([]);
  });

  test('is refused by openapi.json exactly where the contract refuses it', () => {
    const memos = ['x'.repeat(64), 'x'.repeat(65), '💶'.repeat(64), '💶'.repeat(65), ''].map((memo) => ({ what: `memo of ${memo.length}`, record: { ...Object(created[0]), memo } as unknown }));
    const amounts = ['0', '1.5', '1.', '-1', '1e3', '', ' 1'].map((amount) => ({ what: `amount ${amount}`, record: { ...Object(created[0]), amount } as unknown }));
    const changed = [...created.flatMap((order) => changedRecords(order)), ...memos, ...amounts];
    const told = changed.map(({ what, record }) => ({ what, conforms: validate(record), issues: requestIssues(endpoints['payments.create'].body(dialect), record) }));
    expect(told.filter(({ conforms, issues }) => conforms !== (issues.length === 0))).toEqual([]);
    expect(told.filter(({ what }) => what.startsWith('new field') || what.startsWith('gone: amount')).map(({ conforms }) => conforms)).toContain(false);
  });
});

test('refusals conform to openapi.json', () => {
  const validate = validatorOf(document.components.schemas['ErrorBody'] ?? {});
  expect(refused).toHaveLength(5);
  const otherShapes = [{ error: { code: 'gone', message: 'gone' } }, { type: 'about:blank', title: 'Gone', status: 410, detail: 'gone' }, { statusCode: 410, message: 'gone', error: 'Gone' }, {}];
  expect([...refused, ...otherShapes].flatMap((body) => violations(validate, body))).toEqual([]);
  expect(validate({ code: 401 })).toBe(false);
});
