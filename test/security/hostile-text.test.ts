import { describe, expect, it } from 'vitest';
import { ApiError, InvalidResponseError } from 'corridor-sdk';
import { failureOf } from '../support/failure-of.ts';
import { Secrets } from '../../src/cli/secrets.ts';
import { redactBody } from '../../src/contract/redact.ts';
import { mismatches } from '../../src/workflows/create-once/compare.ts';
import { customer, scripted, silent } from '../support/scripted-fetch.ts';

// A search that is quadratic takes minutes for a megabyte, and the time limit of the test ends it; a linear one takes
// milliseconds.
const megabyte = 1_000_000;
const filled = (part: string): string => part.repeat(Math.ceil(megabyte / part.length)).slice(0, megabyte);

const key = 'hostile+Key/8f3b2c=="<&';
const texts = [
  'http://',
  'http://a',
  'https://a?',
  '-eyJ',
  '-eyJaaaaaaaaa',
  'eyJaaaaaaaa.',
  '.eyJaaaaaaaa',
  '-',
  '-----BEGIN ',
  '-----BEGIN A-----',
  '-----END A',
  '-----BEGIN A-----\n-----END ',
  '\0',
  '\0a',
  ' ',
  '%',
  '%2',
  '%25',
  '%2525',
  '&',
  '&#',
  '&#x',
  '&amp;',
  '&amp',
  '&#37;',
  '&#37;25',
  '%5c',
  '%255c',
  '\\',
  '\\\\u',
  '\\u005c',
  '"',
  '"a"',
  '"iban":"',
  'a',
  'A',
  '0',
  '/',
  '+',
  '=',
  key,
  key.slice(0, -1),
  encodeURIComponent(key),
  Buffer.from(key).toString('base64'),
  Buffer.from(key).toString('base64').slice(0, 12),
].map((part) => [part, filled(part)] as const);

it('control characters of the platform are in no message of an error and in no line of the log', async () => {
  const body = { code: 'bad\u001b[2J', message: 'no\u009b31m\r\nerror  a line of its own' };
  const lines: string[] = [];
  const error = (line: string): void => void lines.push(line);
  const { corridor } = scripted(() => Response.json(body, { status: 400 }), {
    logger: { debug: error, warn: error, error },
  });
  const { message, platformCode } = await failureOf(corridor.crypto.networks(), ApiError);
  expect(message).toContain('a line of its own');
  expect(lines.length).toBeGreaterThan(0);
  expect([message, platformCode, ...lines].join('')).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
});

describe.each(texts)('a megabyte of %j', (_, text) => {
  it('is truncated in the message of an error', async () => {
    const { corridor } = scripted(
      () => Response.json({ code: 'no', message: text.slice(0, 300_000) }, { status: 400 }),
      { apiKey: key },
    );
    const error = await failureOf(corridor.crypto.networks(), ApiError);
    expect(error.status).toBe(400);
    expect(error.message.length).toBeLessThan(700);
  });

  it('is truncated as the name of an unknown field', async () => {
    const { corridor } = scripted(() => Response.json({ ...customer(1), [text]: 1 }), {
      apiKey: key,
      validation: 'strict',
    });
    const [issue] = (await failureOf(corridor.customers.get('cus_1'), InvalidResponseError)).issues;
    expect(issue?.path.length).toBeLessThanOrEqual(501);
  });

  it('is masked in a body that is not JSON and in the output of the command', () => {
    expect(redactBody(text, String)).toEqual(expect.any(String));
    const secrets = new Secrets();
    secrets.addCredentials({ CORRIDOR_API_KEY: key });
    secrets.addToken(`Bearer ${'t'.repeat(600)}`);
    expect(secrets.redact(text)).not.toContain(key);
  });
});

it.each(['a', '\\a', '\\', '"', ' ', '"a" '])(
  'a field of a body that is not JSON is masked, and %j is repeated for as long as a body may be',
  (part) => {
    const body = redactBody(`{"iban":"DE89${part.repeat(8_000_000 / part.length)}`, String);
    expect(body).toBe('{"iban":[masked]');
  },
);

describe.each([
  ['zeros', filled('0')],
  ['zeros and a digit', `${filled('0')}1`],
  ['a fraction of zeros and a digit', `1.${filled('0')}1`],
  ['points', filled('.')],
  ['points and zeros', `${filled('.0')}x`],
  ['spaces', `1${filled(' ')}1`],
])('an amount of %s', (_, amount) => {
  it('is compared', () => {
    const payment = { amount, currencyCode: 'USD', customerId: 'c', beneficiaryId: 'b', paymentQuoteId: 'q' };
    expect(mismatches({ request: { ...payment, amount: '1.50' } } as never, payment as never)).toEqual(['amount']);
    expect(mismatches({ request: payment } as never, payment as never)).toEqual([]);
  });

  it('is validated in a request', async () => {
    const error = await failureOf(silent().corridor.payments.create({ amount: `${amount}x` } as never));
    expect(error).toMatchObject({ code: 'invalid-request' });
    expect(String(error).length).toBeLessThan(2000);
  });
});

it.each(
  [
    ['1250', '1250.00'],
    ['01250.50', '1250.5'],
    ['.50', '0.50'],
    ['100.', '100'],
    ['0.0', '0'],
    ['1.a00', '1.a'],
    ['1e100', '1e1'],
    ['100', '1'],
    ['10.10', '10.01'],
  ].map(([one = '', other = ''], index) => [one, other, index < 5]),
)('the amounts %s and %s: equal is %s', (one, other, isEqual) => {
  expect(mismatches({ request: { amount: other } } as never, { amount: one } as never)).toEqual(
    isEqual === true ? [] : ['amount'],
  );
});

it.each([
  '\\',
  '\\r',
  '-----BEGIN A-----',
  '-----BEGIN PRIVATE KEY-----\n',
  '-----BEGIN PRIVATE KEY-----a-----END ',
  'MI',
  '"',
  '\n',
  'Proc-Type:',
])('a private key of a megabyte of %j is rejected', async (part) => {
  const ready = async () => silent({ signer: undefined, privateKey: filled(part) }).corridor.ready();
  const error = await failureOf(ready());
  expect(error).toMatchObject({ code: 'configuration' });
  expect(String(error).length).toBeLessThan(500);
});

it('a base URL of a megabyte of slashes is read', () => {
  expect(() => silent({ baseUrl: `https://platform.example${filled('/')}a` })).not.toThrow();
  expect(() => silent({ baseUrl: `https://platform.example${filled('/')}` })).not.toThrow();
});
