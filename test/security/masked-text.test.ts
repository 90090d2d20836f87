import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { ApiError } from 'corridor-sdk';
import { scripted } from '../support/scripted-fetch.ts';
import { failureOf } from '../support/failure-of.ts';

// Its base64 contains + and /, which base64url writes otherwise.
const apiKey = 'key>>>with???base64>>>';
/** As long as that of an RSA key of 2048 bits. */
const signature = Buffer.concat([0, 1, 2, 3].map((index) => createHash('sha512').update(String(index)).digest()));

async function errorFor(body: string): Promise<ApiError> {
  const { corridor } = scripted(() => new Response(body, { status: 400 }), { apiKey });
  return failureOf(corridor.crypto.networks(), ApiError);
}

/** Returns how the message of an error shows a text of the platform. */
async function shown(text: string): Promise<string> {
  const { message } = await errorFor(JSON.stringify({ code: 'no', message: text }));
  return message.slice(message.indexOf('no: ') + 4, message.lastIndexOf(' ('));
}

describe('a text of the platform in the message of an error', () => {
  test.each([
    ['is there without line breaks', 'amount\r\nis wrong\n', 'amount is wrong'],
    ['is whole up to 500 characters', 'a'.repeat(500), 'a'.repeat(500)],
    ['ends with an ellipsis if it is longer', 'a'.repeat(501), `${'a'.repeat(500)}…`],
    ['has no token', 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln has expired', '[token] has expired'],
    ['has no part of a token that was cut off', 'expired: eyJhbGciOiJSUzI1NiIs', 'expired: [token]'],
    ['has a cursor', 'the cursor eyJpZCI6InBheV8xIn0 is invalid', 'the cursor eyJpZCI6InBheV8xIn0 is invalid'],
    ['has a cursor of a field', 'page.eyJpZCI6InBheV8xIn0 is invalid', 'page.eyJpZCI6InBheV8xIn0 is invalid'],
    ['has a word that starts like a token', 'eyJack.example is unknown', 'eyJack.example is unknown'],
    [
      'has no signature of a token',
      `signature ${signature.toString('base64url')} is wrong`,
      'signature [signature] is wrong',
    ],
    ['has no signature in base64', `(${signature.toString('base64')})`, '([signature])'],
    ['has no signature in hexadecimal', signature.toString('hex'), '[signature]'],
    [
      'has no signature of a URL without a scheme',
      'get files.example/a.pdf?X-Amz-Signature=ab&x=1 now',
      'get files.example/a.pdf?[signed] now',
    ],
    ['has no signature of a URL without names', '//files.example/a?c2ln', '//files.example/a?[signed]'],
    ['has no signature of a host without a dot', 'http://storage:9000/a?c2ln', 'http://storage:9000/a?[signed]'],
    [
      'has no signature of such a host in a query',
      'u=http%3A%2F%2Fstorage%2Fa%3Fc2ln',
      'u=http%3A%2F%2Fstorage%2Fa?[signed]',
    ],
    ['has no signature of a path', '/blobs/1?sv=1&sig=ab%3D', '/blobs/1?[signed]'],
    ['has no signature of an escaped URL', 'files.example%2Fa%3FSignature%3Dab', 'files.example%2Fa?[signed]'],
    ['has no signature of a query', 'X-Goog-Signature=ab&x=1 expired', 'X-Goog-?[signed] expired'],
    ['has the query of a path', '/api/v1/payment?limit=500 is wrong', '/api/v1/payment?limit=500 is wrong'],
    ['has no key in base64', `Basic ${Buffer.from(apiKey).toString('base64')} failed`, 'Basic [secret] failed'],
    ['has no key in base64url', `Basic ${Buffer.from(apiKey).toString('base64url')} failed`, 'Basic [secret] failed'],
    ['has no key in percent-encoding', `${encodeURIComponent(apiKey)} failed`, '[secret] failed'],
  ])('%s', async (_, text, expected) => {
    expect(await shown(text)).toBe(expected);
  });

  test('has no part of a key, wherever the key is in a long text', async () => {
    for (let before = 4_000; before < 4_500; before += 5)
      expect(await shown(`${'\0'.repeat(before)}${apiKey}${'\0'.repeat(1_000)}`)).not.toContain('key');
  });

  test('has all of a long text that fits after its line breaks were removed', async () => {
    expect(await shown(`${'\n'.repeat(4_000)}amount is wrong`)).toBe('amount is wrong');
    expect(await shown(`${'\n'.repeat(9_000)}amount is wrong`)).toBe('…');
  });
});

describe('the body of an error', () => {
  test.each([
    '{"code":"no","amount":null,"paid":false,"fees":[1,null,true]}',
    '{"code":"no","iban":null}',
    '{"code":"no","__proto__":{"isAdmin":true}}',
  ])('without personal data is the one of the platform: %s', async (text) => {
    const { body } = await errorFor(text);
    expect(JSON.stringify(body)).toBe(text);
  });

  test('ends at a depth of 64', async () => {
    for (const [open, close] of [
      ['[', ']'],
      ['{"a":', '}'],
    ] as const) {
      const nested = (depth: number, value: string): string => open.repeat(depth) + value + close.repeat(depth);
      for (const [sent, expected] of [
        [nested(65, '5'), nested(65, '5')],
        [nested(66, '5'), nested(65, '"[too deep]"')],
        [nested(1_000, '5'), nested(65, '"[too deep]"')],
      ] as const)
        expect(JSON.stringify((await errorFor(sent)).body)).toBe(expected);
    }
  });
});
