import { describe, expect, test, vi } from 'vitest';
import { Corridor, SigningError, type CorridorOptions } from 'corridor-sdk';
import { createMockPlatform } from 'corridor-sdk/mock';
import { privateKey } from '../../support/key.ts';
import { failureOf } from '../../support/failure-of.ts';
import { scripted, unchecked, type Sent } from '../../support/scripted-fetch.ts';
import { configurationErrorOf, hideEnvironment, secret } from './client-options.ts';

hideEnvironment();

const notExpanded = 'is a variable that was not expanded, such as ${NAME}, %NAME% or <NAME>. Set its value instead';
const inQuotes = 'is in quotes. Remove them: docker --env-file keeps quotes';

/** Returns the request that a client with these options sends. */
async function sentWith(options: CorridorOptions): Promise<Sent | undefined> {
  const { corridor, sent } = scripted(() => ({ networks: [] }), options);
  await corridor.crypto.networks();
  return sent[0];
}

describe('a setting is used without what env files and secret stores add', () => {
  test.each([`${secret}\n`, `${secret}\r\n`, ` ${secret} `, `\uFEFF${secret}`, `\t${secret}`])(
    'the API key %j',
    async (apiKey) => {
      expect((await sentWith({ apiKey }))?.headers.get('x-api-key')).toBe(secret);
      expect((await sentWith({ apiKey: async () => apiKey }))?.headers.get('x-api-key')).toBe(secret);
    },
  );

  test.each([
    '"https://platform.example"',
    "'https://platform.example'",
    '`https://platform.example`',
    ' https://platform.example\n',
    '"https://platform.example/" ',
    'https://platform.example///',
    'https://platform.example/api/v1',
    'https://platform.example/api/v1/',
    'https://platform.example//api/v1//',
  ])('the base URL %j', async (baseUrl) => {
    expect((await sentWith({ baseUrl }))?.url.href).toBe('https://platform.example/api/v1/crypto/networks');
  });

  test.each([
    ['https://platform.example/gateway/api/v1', '/gateway'],
    ['https://platform.example/api/v1/gateway', '/api/v1/gateway'],
    ['https://platform.example/my-api/v1', '/my-api/v1'],
    ['https://platform.example/api/v12', '/api/v12'],
    ['https://platform.example/api', '/api'],
  ])('the base URL %s, whose path is kept but for the version', async (baseUrl, path) => {
    expect((await sentWith({ baseUrl }))?.url.pathname).toBe(`${path}/api/v1/crypto/networks`);
  });

  test.each(['keyId', 'issuer', 'subject', 'audience'])('%s', async (name) => {
    const claim = { keyId: 'kid', issuer: 'iss', subject: 'sub', audience: 'aud' }[name] as string;
    const token = (await sentWith({ [name]: ' acme\n' }))?.headers.get('authorization') ?? '';
    const [header = '', claims = ''] = token.slice('Bearer '.length).split('.');
    const fields = [header, claims].map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()) as object);
    expect(Object.assign({}, ...fields)).toMatchObject({ [claim]: 'acme' });
  });

  test('the variables of the environment', async () => {
    const platform = createMockPlatform();
    const credentials = await platform.credentials();
    vi.stubGlobal('fetch', platform.fetch);
    vi.stubEnv('CORRIDOR_BASE_URL', `"${credentials.baseUrl}/api/v1/"`);
    vi.stubEnv('CORRIDOR_API_KEY', `${credentials.apiKey}\n`);
    vi.stubEnv('CORRIDOR_PRIVATE_KEY', Buffer.from(credentials.privateKey).toString('base64'));
    expect(await new Corridor().crypto.networks()).not.toEqual([]);
  });

  test('in which only quotes count as missing', () => {
    for (const name of ['BASE_URL', 'API_KEY', 'PRIVATE_KEY']) vi.stubEnv(`CORRIDOR_${name}`, '""');
    expect(configurationErrorOf({}).message).toMatch(/^missing options: baseUrl .*, apiKey .*, privateKey /);
  });
});

const placeholders = [
  '${CORRIDOR_API_KEY}',
  '${CORRIDOR_API_KEY:-}',
  '"${CORRIDOR_API_KEY}"',
  '${{ secrets.KEY }}',
  '{{ .Values.key }}',
  '%CORRIDOR_API_KEY%',
  '%apiKey%',
  '<API key>',
  '<API_KEY>\n',
  '$(cat key)',
  '$CORRIDOR_API_KEY',
  'undefined',
  'null',
  'prefix-${KEY}',
];

describe('a variable that was not expanded is named as such, without its text', () => {
  test.each(placeholders)('%j', async (text) => {
    for (const name of ['baseUrl', 'apiKey', 'privateKey', 'keyId', 'issuer', 'subject', 'audience']) {
      const options = { ...unchecked, ...(name === 'privateKey' && { signer: undefined }), [name]: text };
      expect(configurationErrorOf(options).message).toBe(`${name} ${notExpanded}`);
    }
    const byFunction = scripted(() => ({}), { apiKey: () => text });
    const error = await failureOf(byFunction.corridor.crypto.networks());
    expect(error).toBeInstanceOf(SigningError);
    expect(error.message).toContain(`what apiKey returned ${notExpanded}`);
    const keyByFunction = scripted(() => ({}), { signer: undefined, privateKey: () => text });
    const { message } = await failureOf(keyByFunction.corridor.crypto.networks());
    expect(message).toContain(`privateKey ${notExpanded}`);
    expect([...byFunction.sent, ...keyByFunction.sent]).toEqual([]);
  });

  test.each(['https://${HOST}', 'https://<host>', 'https://%HOST%/', 'https://{{ host }}/v2'])(
    'within the base URL %s',
    (baseUrl) => {
      expect(configurationErrorOf({ ...unchecked, baseUrl }).message).toBe(`baseUrl ${notExpanded}`);
    },
  );

  test.each([
    ['CORRIDOR_BASE_URL', 'baseUrl'],
    ['CORRIDOR_API_KEY', 'apiKey'],
    ['CORRIDOR_PRIVATE_KEY', 'privateKey'],
  ])('in %s', (variable, name) => {
    vi.stubEnv('CORRIDOR_BASE_URL', 'https://platform.example');
    vi.stubEnv('CORRIDOR_API_KEY', secret);
    vi.stubEnv('CORRIDOR_PRIVATE_KEY', privateKey);
    vi.stubEnv(variable, `\${${variable}}`);
    expect(configurationErrorOf({}).message).toBe(`${name} ${notExpanded}`);
  });

  test.each(['$ecret$', 'k_{1}', '100%', '<', 'a<b>c', '%41%42', '$KEY', 'undefined-1', 'k$(1)'])(
    'and an API key such as %s is none',
    async (apiKey) => {
      expect((await sentWith({ apiKey }))?.headers.get('x-api-key')).toBe(apiKey);
    },
  );
});

describe('quotes that were kept are named, because a key may have them', () => {
  test.each([`"${secret}"`, `'${secret}'`, `\`${secret}\``, ` "${secret}"\n`])('%s', async (text) => {
    for (const name of ['apiKey', 'keyId', 'issuer', 'subject', 'audience']) {
      const { message } = configurationErrorOf({ ...unchecked, [name]: text });
      expect(message).toBe(`${name} ${inQuotes}`);
    }
    const { corridor, sent } = scripted(() => ({}), { apiKey: () => text });
    const { message } = await failureOf(corridor.crypto.networks());
    expect(message).toContain(`what apiKey returned ${inQuotes}`);
    expect(message).not.toContain(secret);
    expect(sent).toEqual([]);
  });

  test.each([`"${secret}`, `${secret}'`, `a"${secret}"`, `"${secret}'`])(
    'but a key may have them: %s',
    async (apiKey) => {
      expect((await sentWith({ apiKey }))?.headers.get('x-api-key')).toBe(apiKey);
    },
  );
});

test.each(['https://platform .example', 'https://platform.\nexample', 'https://platform.example/a b'])(
  'white space within the base URL %j is named',
  (baseUrl) => {
    expect(configurationErrorOf({ ...unchecked, baseUrl }).message).toContain('without white space');
  },
);
