import { setImmediate, setTimeout } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import { Corridor, type CorridorOptions } from 'corridor-sdk';
import { createMockPlatform } from 'corridor-sdk/mock';
import { scripted, unchecked } from '../../support/scripted-fetch.ts';
import { secret, configurationErrorOf, hideEnvironment } from './client-options.ts';

hideEnvironment();

test.each(['timeoutt', 'user', 'url', 'secret'])(
  'the unknown option %s is rejected with the known options',
  (typed) => {
    expect(configurationErrorOf({ [typed]: 'x' } as CorridorOptions).message).toMatch(
      new RegExp(`^${typed} is not a known field \\(known: baseUrl, [\\w, ]+\\)$`),
    );
  },
);

test.each([
  ['baseURL', 'baseUrl'],
  ['base_url', 'baseUrl'],
  ['api-key', 'apiKey'],
  ['MaxRetries', 'maxRetries'],
])('the option %s is rejected with the spelling of this package', (typed, known) => {
  expect(configurationErrorOf({ [typed]: 'x' } as CorridorOptions).message).toBe(
    `${typed} is not a known field. Pass ${known}`,
  );
});

test('several unknown options are rejected with one list of the known options', () => {
  const { message } = configurationErrorOf({ url: 'x', foo: 1, bar: 2 } as CorridorOptions);
  expect(message).toMatch(
    /^url is not a known field \(known: [\w, ]+\); foo is not a known field; bar is not a known field$/,
  );
});

test.each([() => new Date(), () => Number.NaN, () => -1, () => 8.64e15, 5])(
  'now is rejected unless it returns a time: %s',
  (now) => {
    expect(configurationErrorOf({ now } as CorridorOptions).message).toMatch(
      /^now must be a function that returns milliseconds since the epoch, such as Date.now/,
    );
  },
);

describe('an invalid option is rejected by name', () => {
  test.each([
    ['baseUrl', 'platform.example', 'must be an absolute URL'],
    ['baseUrl', 'https://', 'must be an absolute URL'],
    ['baseUrl', 5, 'must be a string (received 5)'],
    ['baseUrl', 'ftp://platform.example', 'must be https'],
    [
      'baseUrl',
      `https://user:${secret}@platform.example`,
      'must be an absolute URL without white space, credentials, query and fragment',
    ],
    [
      'baseUrl',
      'https://platform.example/?x=1',
      'must be an absolute URL without white space, credentials, query and fragment',
    ],
    [
      'baseUrl',
      'https://platform.example/?',
      'must be an absolute URL without white space, credentials, query and fragment',
    ],
    [
      'baseUrl',
      'https://platform.example/#',
      'must be an absolute URL without white space, credentials, query and fragment',
    ],
    ['apiKey', `${secret}\n${secret}`, 'must be printable ASCII without white space'],
    ['apiKey', `my ${secret}`, 'must be printable ASCII without white space'],
    ['apiKey', `${secret}é`, 'must be printable ASCII without white space'],
    ['apiKey', { key: secret }, 'must be printable ASCII without white space (received object)'],
    ['apiKey', 12_345, 'must be printable ASCII without white space (received number)'],
    ['apiKey', null, 'must be printable ASCII without white space (received null)'],
    ['signer', secret, 'must be a function (received string)'],
    ['keyId', 5, 'must be a string (received 5)'],
    ['issuer', 5, 'must be a string'],
    ['subject', 5, 'must be a string'],
    ['audience', ['a'], 'must be a string (received array)'],
    ['claims', {}, 'must be a function (received object)'],
    ['tokenLifetime', 0, 'must be an integer of seconds, at least 1'],
    ['tokenLifetime', 1.5, 'must be an integer of seconds, at least 1'],
    ['tokenLifetime', '60', 'must be an integer of seconds, at least 1 (received string)'],
    ['timeout', 0, 'must be a number of milliseconds from 1 to 2147483647'],
    ['timeout', 0.5, 'must be a number of milliseconds from 1'],
    ['timeout', Number.NaN, 'must be a number of milliseconds from 1'],
    ['timeout', Number.POSITIVE_INFINITY, 'must be a number of milliseconds from 1'],
    ['timeout', '30s', 'must be a number of milliseconds from 1 to 2147483647 (received string)'],
    ['totalTimeout', -1, 'must be a number of milliseconds from 1'],
    ['totalTimeout', 2_147_483_648, 'must be a number of milliseconds from 1'],
    ['maxRetryAfter', -1, 'must be a number of milliseconds'],
    ['maxRetries', -1, 'must be an integer from 0 to 100 (received -1)'],
    ['maxRetries', 1.5, 'must be an integer from 0 to 100'],
    ['maxRetries', 101, 'must be an integer from 0 to 100'],
    ['maxRetries', Number.POSITIVE_INFINITY, 'must be an integer from 0 to 100'],
    ['validation', 'loose', 'must be one of standard, strict, observe (received "loose")'],
    ['validation', true, 'must be one of standard, strict, observe (received boolean)'],
    ['onDrift', console, 'must be a function (received console)'],
    ['maxResponseBytes', 0, 'must be an integer of bytes, at least 1'],
    ['maxResponseBytes', 1.5, 'must be an integer of bytes, at least 1'],
    ['maxResponseBytes', Number.POSITIVE_INFINITY, 'must be an integer of bytes, at least 1'],
    ['prefetch', 'yes', 'must be a boolean (received string)'],
    ['prefetch', 0, 'must be a boolean (received 0)'],
    ['concurrency', 0, 'must be an integer of at least 1'],
    ['concurrency', 1.5, 'must be an integer of at least 1'],
    ['sleep', 5, 'must be a function (received 5)'],
    ['dangerouslyAllowBrowser', 1, 'must be a boolean (received 1)'],
    ['dangerouslyAllowHttpHosts', 'mock', "must be an array of host names, such as ['mock']"],
    [
      'dangerouslyAllowHttpHosts',
      ['mock:8080'],
      '[0] must be a host name without a port, such as mock.test (received string). List each name; there are no wildcards',
    ],
    ['dangerouslyAllowHttpHosts', ['mock', '*.test'], '[1] must be a host name without a port'],
    ['dangerouslyAllowHttpHosts', ['a'.repeat(254)], '[0] must be a host name without a port'],
    ['dangerouslyAllowHttpHosts', [5], '[0] must be a host name without a port'],
    ['fetch', null, 'must be a function (received null)'],
    ['userAgent', '', 'must be printable ASCII'],
    ['userAgent', 'acmé', 'must be printable ASCII'],
    ['userAgent', 'a\r\nb', 'must be printable ASCII'],
    ['logger', null, 'must be an object with the functions debug, warn and error, such as console (received null)'],
    ['logger', {}, 'must be an object with the functions debug, warn and error, such as console'],
    [
      'hooks',
      null,
      'must be an object of functions, such as { onRequest }, or an array of such objects (received null)',
    ],
    [
      'hooks',
      { request: () => {} },
      'hooks.request is not a known field (known: onRequest, onResponse, onRetry, onError, onCancel, onThrottle, onWorkflow)',
    ],
    ['hooks', { onRequest: 5 }, 'onRequest must be a function (received 5)'],
    ['journal', {}, 'must be an object with the functions claim, resolve and listPending'],
    ['dialect', null, 'must be an object (received null)'],
    [
      'dialect',
      { filter: {} },
      'dialect.filter is not a known field (known: filterNames, rejectedStatuses, amountFormat, requestIdHeaders)',
    ],
    ['dialect', { filterNames: null }, 'filterNames must be an object of different names'],
    ['dialect', { filterNames: { from: 'x' } }, 'filterNames.from is not a known field (known: status, createdFrom, '],
    ['dialect', { filterNames: { status: '' } }, 'filterNames.status must be a non-empty string'],
    ['dialect', { filterNames: { status: 5 } }, 'filterNames.status must be a non-empty string'],
    ['dialect', { filterNames: { status: 'limit' } }, 'filterNames must be an object of different names'],
    [
      'dialect',
      { filterNames: { createdFrom: 'at', createdTo: 'at' } },
      'filterNames must be an object of different names',
    ],
    ['dialect', { rejectedStatuses: 422 }, 'rejectedStatuses must be an array of integers (received 422)'],
    ['dialect', { rejectedStatuses: ['422'] }, 'rejectedStatuses[0] must be an integer from 400 to 599'],
    ['dialect', { rejectedStatuses: [200] }, 'rejectedStatuses[0] must be an integer from 400 to 599'],
    ['dialect', { amountFormat: { separator: ';' } }, 'amountFormat.separator must be one of'],
    ['dialect', { amountFormat: { decimals: 1.5 } }, 'amountFormat.decimals must be an integer'],
    ['dialect', { requestIdHeaders: 'x-id' }, 'requestIdHeaders must be an array of strings (received string)'],
    ['dialect', { requestIdHeaders: [''] }, 'requestIdHeaders[0] must be the name of a header'],
    ['dialect', { requestIdHeaders: ['x id'] }, 'requestIdHeaders[0] must be the name of a header'],
    ['dialect', { requestIdHeaders: [' x-id'] }, 'requestIdHeaders[0] must be the name of a header'],
    ['dialect', { requestIdHeaders: ['x-id '] }, 'requestIdHeaders[0] must be the name of a header'],
    ['dialect', { requestIdHeaders: ['x:id'] }, 'requestIdHeaders[0] must be the name of a header'],
  ])('%s: %o: %s', (name, value, message) => {
    const error = configurationErrorOf({ ...unchecked, [name]: value });
    expect(error.message).toMatch(new RegExp(`^${name}[ .[]`));
    expect(error.message).toContain(message);
    expect(`${error.message} ${JSON.stringify(error)} ${error.stack}`).not.toContain(secret);
  });

  test('an unknown option is rejected, and the message lists all options', () => {
    const { message } = configurationErrorOf({ ...unchecked, key: secret });
    expect(message).toMatch(/^key is not a known field \(known: baseUrl, apiKey, privateKey, signer, .*userAgent\)$/);
    expect(message).not.toContain(secret);
  });

  test.each([[null], ['https://platform.example'], [5], [[[]]], [() => {}]])(
    'options must be an object, not %j',
    (options) => {
      expect(configurationErrorOf(options).message).toMatch(
        /^the options of a client must be an object, such as \{ baseUrl, apiKey, privateKey \} \(received \w+\)$/,
      );
    },
  );

  test('either a private key or a signer is required, but not both', () => {
    expect(configurationErrorOf({ ...unchecked, privateKey: secret }).message).toBe(
      'privateKey and signer are both set. Pass either privateKey or signer',
    );
    expect(configurationErrorOf({ ...unchecked, signer: undefined }).message).toContain(
      'missing options: privateKey (CORRIDOR_PRIVATE_KEY)',
    );
  });
});

describe('a valid option is accepted', () => {
  test.each([
    { timeout: 1 },
    { totalTimeout: 2_147_483_647 },
    { maxRetries: 0 },
    { maxRetries: 100 },
    { maxRetryAfter: 0 },
    { defaultHeaders: {} },
    { hooks: [] },
    { concurrency: Number.POSITIVE_INFINITY },
    { concurrency: 1 },
    { tokenLifetime: 1 },
    { maxResponseBytes: 1 },
    { userAgent: 'acme/1.0' },
    { dialect: {} },
    { dialect: { filterNames: {}, rejectedStatuses: [], amountFormat: {}, requestIdHeaders: [] } },
    { dialect: { rejectedStatuses: [400, 599] } },
    { hooks: {} },
    { hooks: { onRequest: undefined } },
    { logger: console },
  ] as const)('%o', (options) => {
    expect(new Corridor({ ...unchecked, ...options })).toBeInstanceOf(Corridor);
  });

  test('undefined is as good as absent, for every option', () => {
    const names =
      /\(known: (.*)\)/.exec(configurationErrorOf({ ...unchecked, nothing: 1 }).message)?.[1]?.split(', ') ?? [];
    const nothing = Object.fromEntries(names.map((name) => [name, undefined]));
    expect(names.length).toBeGreaterThan(20);
    expect(new Corridor({ ...nothing, ...unchecked })).toBeInstanceOf(Corridor);
  });

  test('default headers are sent with every request, and those of a call replace them', async () => {
    const { corridor, sent } = scripted(() => ({ networks: [] }), {
      defaultHeaders: { 'X-Trace': 'client', 'x-team': 'payouts' },
    });
    await corridor.crypto.networks();
    await corridor.crypto.networks({ headers: { 'x-trace': 'call' } });
    expect(sent.map(({ headers }) => [headers.get('x-trace'), headers.get('x-team')])).toEqual([
      ['client', 'payouts'],
      ['call', 'payouts'],
    ]);
  });

  test.each([
    [{ Authorization: 'x' }, 'defaultHeaders.authorization is set by the SDK and cannot be overridden'],
    [{ 'a b': 'x' }, 'defaultHeaders must have valid HTTP header names'],
    [{ 'x-trace': 'a\nb' }, 'defaultHeaders.x-trace must be a string of printable ASCII characters'],
  ])('default headers %j are rejected', (defaultHeaders, message) => {
    expect(configurationErrorOf({ ...unchecked, defaultHeaders }).message).toContain(message);
  });

  test('hooks can be a list: each is called, whatever another one throws', async () => {
    const called: string[] = [];
    const failing = {
      onRequest: () => {
        called.push('failing');
        throw new Error('a bug in a hook');
      },
    };
    const { corridor } = scripted(() => ({ networks: [] }), {
      hooks: [failing, { onRequest: ({ endpoint }) => void called.push(endpoint) }],
    });
    await corridor.crypto.networks();
    expect(called).toEqual(['failing', 'crypto.networks']);
  });

  test('a misspelled hook of a list is named', () => {
    expect(configurationErrorOf({ ...unchecked, hooks: [{}, { onRequst: () => {} }] }).message).toContain(
      'hooks[1].onRequst is not a known field',
    );
  });

  test('a user agent is appended to the one of the SDK', async () => {
    const { corridor, sent } = scripted(() => ({ networks: [] }), { userAgent: 'acme/1.0' });
    await corridor.crypto.networks();
    expect(sent[0]?.headers.get('user-agent')).toMatch(/^corridor-sdk\/\d+\.\d+\.\d+ acme\/1\.0$/);
  });
});

test('a sleep that rejects on abort, as that of node:timers/promises does, does not end the process', async () => {
  const platform = createMockPlatform();
  const corridor = new Corridor({
    ...platform.clientOptions(),
    sleep: (milliseconds, signal) => setTimeout(milliseconds, undefined, { signal }),
  });
  expect(await corridor.crypto.networks()).not.toEqual([]);
  // A rejection that nobody handles fails the run.
  await setImmediate();
});

describe('the base URL', () => {
  test.each([
    'https://platform.example',
    'http://localhost:4010',
    'http://127.0.0.1:4010',
    'http://127.8.9.1',
    'http://[::1]:4010',
    'http://api.localhost',
    'HTTPS://PLATFORM.EXAMPLE',
  ])('may be %s', (baseUrl) => {
    expect(new Corridor({ ...unchecked, baseUrl })).toBeInstanceOf(Corridor);
  });

  test.each([
    'http://platform.example',
    'http://10.0.0.1',
    'http://192.168.0.1',
    'http://localhost.evil.example',
    'http://127.0.0.1.evil.example',
    'http://0.0.0.0',
    'http://[::2]',
    'http://xlocalhost',
    'ws://localhost',
    'file:///etc',
  ])('must be https, other than %s', (baseUrl) => {
    expect(configurationErrorOf({ ...unchecked, baseUrl }).message).toBe(
      'baseUrl must be https, because http would expose the API key (http is allowed for loopback addresses only). Pass an https URL, or for a mock on another host, its name in dangerouslyAllowHttpHosts',
    );
  });

  test.each([
    ['http://mock', ['mock']],
    ['http://mock:4010/gateway', ['other', 'mock']],
    ['http://MOCK', ['mock']],
    ['http://mock', ['Mock']],
    ['http://10.0.0.1', ['10.0.0.1']],
    ['http://[fd00::1]:80', ['[fd00::1]']],
    ['https://platform.example', ['mock']],
  ])('may be %s with dangerouslyAllowHttpHosts %j', (baseUrl, dangerouslyAllowHttpHosts) => {
    expect(new Corridor({ ...unchecked, baseUrl, dangerouslyAllowHttpHosts })).toBeInstanceOf(Corridor);
  });

  test.each([
    ['http://mock.evil.example', ['mock']],
    ['http://evil.mock', ['mock']],
    ['http://xmock', ['mock']],
    ['http://mock.', ['mock']],
    ['ftp://mock', ['mock']],
    ['http://mock', []],
  ])('may not be %s with dangerouslyAllowHttpHosts %j', (baseUrl, dangerouslyAllowHttpHosts) => {
    expect(configurationErrorOf({ ...unchecked, baseUrl, dangerouslyAllowHttpHosts }).message).toContain(
      'baseUrl must be https',
    );
  });

  test.each(['production', '"production"', 'production\r'])(
    'may not be http in %j, whatever is allowed',
    (environment) => {
      vi.stubEnv('NODE_ENV', environment);
      const dangerouslyAllowHttpHosts = ['mock'];
      for (const baseUrl of ['http://mock', 'https://platform.example'])
        expect(configurationErrorOf({ ...unchecked, baseUrl, dangerouslyAllowHttpHosts }).message).toBe(
          'dangerouslyAllowHttpHosts is for tests, and NODE_ENV is production. Omit it, and pass an https URL as baseUrl',
        );
    },
  );

  test.each([
    ['https://platform.example/', ''],
    ['https://platform.example/gateway', '/gateway'],
    ['https://platform.example/gateway//', '/gateway'],
    ['https://platform.example/a/b/', '/a/b'],
  ])('%s has its path kept, but for slashes at its end', async (baseUrl, prefix) => {
    const { corridor, sent } = scripted(() => ({ networks: [] }), { baseUrl });
    await corridor.crypto.networks();
    expect(sent[0]?.url.href).toBe(`https://platform.example${prefix}/api/v1/crypto/networks`);
  });
});

const platform = createMockPlatform();
const messageOf = (missing: string): string =>
  `missing options: ${missing}. Pass them (for a key in a KMS, signer in place of privateKey) or set the variables of the environment. Run npx corridor-sdk doctor to check the environment, or npx corridor-sdk mock for a platform without an account`;

describe('the environment', () => {
  test('provides the base URL, the API key and the private key', async () => {
    const { baseUrl, apiKey, privateKey } = await platform.credentials();
    vi.stubEnv('CORRIDOR_BASE_URL', baseUrl);
    vi.stubEnv('CORRIDOR_API_KEY', apiKey);
    vi.stubEnv('CORRIDOR_PRIVATE_KEY', privateKey.replaceAll('\n', '\\n'));
    vi.stubGlobal('fetch', platform.fetch);
    expect(await new Corridor().crypto.networks()).not.toEqual([]);
  });

  test('is overridden by options', async () => {
    vi.stubEnv('CORRIDOR_BASE_URL', 'https://elsewhere.example');
    vi.stubEnv('CORRIDOR_API_KEY', 'another-key');
    vi.stubEnv('CORRIDOR_PRIVATE_KEY', 'no key at all');
    expect(await new Corridor(platform.clientOptions()).crypto.networks()).not.toEqual([]);
  });

  test('needs no private key if there is a signer', async () => {
    vi.stubEnv('CORRIDOR_PRIVATE_KEY', 'no key at all');
    const { corridor } = scripted(() => ({ networks: [] }));
    expect(await corridor.crypto.networks()).toEqual([]);
  });

  test.each([
    ['CORRIDOR_BASE_URL', 'baseUrl'],
    ['CORRIDOR_API_KEY', 'apiKey'],
    ['CORRIDOR_PRIVATE_KEY', 'privateKey'],
  ])('without %s names it, empty or absent', (missing, option) => {
    vi.stubEnv('CORRIDOR_BASE_URL', 'https://platform.example');
    vi.stubEnv('CORRIDOR_API_KEY', secret);
    vi.stubEnv('CORRIDOR_PRIVATE_KEY', secret);
    for (const value of ['', undefined]) {
      vi.stubEnv(missing, value);
      expect(configurationErrorOf({}).message).toBe(messageOf(`${option} (${missing})`));
      expect(configurationErrorOf(undefined).message).toBe(messageOf(`${option} (${missing})`));
    }
  });

  test('without several names all of them at once', () => {
    vi.stubEnv('CORRIDOR_BASE_URL', 'https://platform.example');
    vi.stubEnv('CORRIDOR_API_KEY', undefined);
    vi.stubEnv('CORRIDOR_PRIVATE_KEY', undefined);

    expect(configurationErrorOf({}).message).toBe(
      messageOf('apiKey (CORRIDOR_API_KEY), privateKey (CORRIDOR_PRIVATE_KEY)'),
    );
    expect(configurationErrorOf({ baseUrl: '', apiKey: secret }).message).toContain(
      'missing options: baseUrl (CORRIDOR_BASE_URL), privateKey (CORRIDOR_PRIVATE_KEY). ',
    );
  });

  test('may be absent, as in runtimes without `process`', () => {
    vi.stubGlobal('process', undefined);
    const error = configurationErrorOf({});
    vi.unstubAllGlobals();
    expect(error.message).toMatch(/^missing options: baseUrl .*, apiKey .*, privateKey /);
  });
});
