import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ApiError } from 'corridor-sdk';
import { failureOf } from '../../support/failure-of.ts';
import { Secrets } from '../../../src/cli/secrets.ts';
import { scripted } from '../../support/scripted-fetch.ts';

const apiKey = 'live+Key/8f3b2c=="<&\\%41_9d';

const percent = (text: string): string =>
  [...text].map((character) => `%${(character.codePointAt(0) as number).toString(16)}`).join('');
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const json = (text: string): string => JSON.stringify(text).slice(1, -1);

/** The encodings in which a platform or a gateway may echo a value. */
const encodings: Readonly<Record<string, (text: string) => string>> = {
  'as it is': (text) => text,
  'in small letters': (text) => text.toLowerCase(),
  'in capital letters': (text) => text.toUpperCase(),
  'percent-encoded': encodeURIComponent,
  'percent-encoded in small letters': (text) => encodeURIComponent(text).toLowerCase(),
  'percent-encoded, every character': percent,
  'in base64': base64,
  'in base64url': (text) => Buffer.from(text).toString('base64url'),
  'in the base64 of user:key': (text) => base64(`user:${text}`),
  'in the base64 of u:key': (text) => base64(`u:${text}`),
  'in the base64 of us:key': (text) => base64(`us:${text}`),
  'in the base64 of JSON': (text) => base64(JSON.stringify({ 'x-api-key': text.replaceAll(/["\\]/g, '') })),
  'JSON-escaped': json,
  'JSON-escaped with slashes': (text) => json(text).replaceAll('/', '\\/'),
};

/** Returns the error message of a client whose platform responds with an error with this text. */
async function messageFor(text: string, key = apiKey): Promise<string> {
  return (
    await failureOf(
      scripted(() => Response.json({ code: 'no', message: text }, { status: 400 }), {
        apiKey: key,
      }).corridor.crypto.networks(),
    )
  ).message;
}

function commandOutput(text: string, key = apiKey): string {
  const secrets = new Secrets();
  secrets.addCredentials({ CORRIDOR_API_KEY: key });
  return secrets.redact(text);
}

// JSON in base64 of a key with quotes is no text that holds the key: such a key is tried without them.
const keyOf = (name: string): string => (name === 'in the base64 of JSON' ? apiKey.replaceAll(/["\\]/g, '') : apiKey);

describe('an API key that the platform echoes', () => {
  it.each(Object.entries(encodings))('%s is masked in the error and by the command', async (name, encode) => {
    const [key, shown] = [keyOf(name), encode(keyOf(name))];
    for (const clean of [await messageFor(`got ${shown} end`, key), commandOutput(`got ${shown} end`, key)]) {
      expect(clean).toContain('got [secret] end');
    }
  });

  it.each(Object.entries(encodings))('%s is never shown in part if the message is cut there', async (name, encode) => {
    const [key, shown] = [keyOf(name), encode(keyOf(name))];
    // The text that is read is cut at 4096 characters, the text that is shown at 500.
    for (const cut of [500, 4096])
      for (let length = cut - shown.length - 2; length <= cut + 1; length += 7) {
        const message = await messageFor(
          `${(cut === 500 ? ' .' : '\0').repeat(length).slice(0, Math.max(length, 0))}${shown} end`,
          key,
        );
        const parts = Array.from({ length: shown.length - 7 }, (_, index) => shown.slice(index, index + 8));
        expect(parts.filter((part) => message.includes(part))).toEqual([]);
      }
  });

  it('is masked anywhere, whatever characters it has', async () => {
    const printable = fc.string({
      unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
      minLength: 12,
      maxLength: 80,
    });
    await fc.assert(
      fc.property(
        printable,
        fc.constantFrom(...Object.keys(encodings).filter((name) => keyOf(name) === apiKey)),
        fc.nat(60),
        (key, name, before) => {
          const secrets = new Secrets();
          secrets.addCredentials({ CORRIDOR_API_KEY: key });
          expect(secrets.redact(`${' .'.repeat(before)} ${encodings[name]?.(key)} .`)).toBe(
            `${' .'.repeat(before)} [secret] .`,
          );
        },
      ),
      { numRuns: 500 },
    );
  });

  it.each([
    ['the name of a field', (key: string) => ({ errors: { [`key ${key}`]: 1 } }), { errors: { 'key [secret]': 1 } }],
    ['a number', (key: string) => ({ received: [Number(key), 1] }), { received: ['[secret]', 1] }],
  ])('is masked in %s of the body, and in the headers', async (_, bodyOf, masked) => {
    const key = '8412007735519';
    const headers = new Headers({ 'x-echo': `key ${key}`, 'x-other': 'kept' });
    for (const value of [key, 'kept']) headers.append('set-cookie', value);

    const { corridor } = scripted(() => Response.json(bodyOf(key), { status: 400, headers }), { apiKey: key });
    const error = await failureOf(corridor.crypto.networks(), ApiError);

    expect(error.body).toEqual(masked);
    expect([...error.headers]).toEqual([
      ['content-type', 'application/json'],
      ['set-cookie', '[secret]'],
      ['set-cookie', 'kept'],
      ['x-echo', 'key [secret]'],
      ['x-other', 'kept'],
    ]);
  });

  it('is masked several times, and the surrounding text is kept', () => {
    const text = `a ${apiKey} b&amp;c ${encodeURIComponent(apiKey)} 100%25 d ${base64(apiKey)} \\u0041 e`;
    expect(commandOutput(text)).toBe('a [secret] b&amp;c [secret] 100%25 d [secret] \\u0041 e');
  });

  it('of eight characters is masked in base64, too', async () => {
    expect(await messageFor(`see ${base64('Key-4711')}`, 'Key-4711')).toContain('see [secret]');
  });

  it('of few characters is not masked in another case or in base64, where other text contains it', async () => {
    expect(await messageFor('the cat, the CAT and Y2F0', 'cat')).toContain('the [secret], the CAT and Y2F0');
  });

  it('does not change text without a secret', () => {
    fc.assert(fc.property(fc.string({ unit: 'grapheme' }), (text) => commandOutput(text) === text));
  });
});

describe('other secrets are masked in an error', () => {
  const token = `eyJ${'a'.repeat(40)}.eyJ${'b'.repeat(300)}.${'c'.repeat(340)}`;
  it.each([
    ['a token', `Bearer ${token} end`, 'Bearer [token] end'],
    ['a token in JSON', JSON.stringify({ authorization: `Bearer ${token}` }), '{"authorization":"Bearer [token]"}'],
    ['a token after a hyphen', `token-${token} end`, 'token-[token] end'],
    ['a token after an encoded space', `Bearer%20${token} end`, 'Bearer%20[token] end'],
    [
      'a signed URL',
      'see https://files.example.com/f?X-Signature=1&b=2 end',
      'see https://files.example.com/f?[signed] end',
    ],
    [
      'a signed URL in JSON',
      '{"url":"https:\\/\\/files.example.com\\/f?X-Signature=1"}',
      '{"url":"https:\\/\\/files.example.com\\/f?[signed]"}',
    ],
    [
      'a signed URL in a query',
      'next=https%3A%2F%2Ffiles.example.com%2Ff%3FX-Signature%3D1 end',
      'next=https%3A%2F%2Ffiles.example.com%2Ff?[signed] end',
    ],
    ['a key', '-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY----- end', '[key] end'],
    [
      'a key with escaped line breaks',
      '-----BEGIN PRIVATE KEY-----\\nMIIE\\n-----END PRIVATE KEY----- end',
      '[key] end',
    ],
  ])('%s', async (_, text, clean) => {
    expect(await messageFor(text)).toContain(`: ${clean} (`);
  });

  it.each([
    ['a token', token, /eyJ|bbbb|cccc/],
    ['a key', `-----BEGIN PRIVATE KEY-----\n${'QUJD'.repeat(500)}\n-----END PRIVATE KEY-----`, /BEGIN|QUJD/],
    ['a signed URL', `https://files.example.com/f?X-Signature=${'d'.repeat(700)}`, /Signature|dddd/],
  ])('%s at the point of truncation', async (_, secret, forbidden) => {
    for (let length = 440; length < 490; length += 1)
      expect(await messageFor(`${'. '.repeat(length).slice(0, length)}${secret}`)).not.toMatch(forbidden);
    for (let length = 4040; length < 4100; length += 1)
      expect(await messageFor(`${'\0'.repeat(length).slice(0, length)}${secret}`)).not.toMatch(forbidden);
  });

  it.each([
    ['a cursor', 'no page eyJpZCI6MTIzNDU2Nzg5fQ.'],
    ['a name with dots', 'no file report.final.pdf.'],
    ['a URL', 'see https://docs.example.com/errors for more'],
    ['a percent sign', '100 % of 5 & 6 \\ 7'],
  ])('%s is not masked', async (_, text) => {
    expect(await messageFor(text)).toContain(`: ${text} (`);
  });
});
