import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import {
  ConfigurationError,
  ConnectionError,
  InvalidResponseError,
  SigningError,
  type CorridorError,
  type CorridorOptions,
} from 'corridor-sdk';
import { failureOf } from '../support/failure-of.ts';
import { InstantDelays } from '../support/instant-delays.ts';
import { scripted } from '../support/scripted-fetch.ts';

const errorOf = (code: string, fields: object = {}): Error =>
  new TypeError('fetch failed', { cause: Object.assign(new Error('failed'), { code, ...fields }) });

/** Deletes a document, which is retried; fetch throws each time. */
function deleting(thrown: unknown, options: CorridorOptions = {}): Promise<CorridorError> {
  const { corridor } = scripted(() => Promise.reject(thrown), {
    ...new InstantDelays().options,
    maxRetries: 1,
    ...options,
  });
  return failureOf(corridor.documents.delete('doc_1'));
}

const handshakeCodes = [
  ...['SIGNATURE_FAILURE', 'NOT_YET_VALID', 'HAS_EXPIRED', 'REVOKED', 'UNTRUSTED'].map((name) => `CERT_${name}`),
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'HOSTNAME_MISMATCH',
  'INVALID_CA',
  ...['GET_ISSUER_CERT_LOCALLY', 'VERIFY_LEAF_SIGNATURE'].map((name) => `UNABLE_TO_${name}`),
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'ERR_SSL_UNSUPPORTED_PROTOCOL',
  'ERR_SSL_NO_PROTOCOLS_AVAILABLE',
];
const unreachedCodes = [
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EADDRNOTAVAIL',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_PRX_CONN',
];

describe('a connection error', () => {
  test.each([
    ['ECONNREFUSED', 'could not be established', '. Check baseUrl, and'],
    ['ENOTFOUND', 'host name', '. Check baseUrl and DNS'],
    ['EAI_AGAIN', 'host name', '. Check baseUrl and DNS'],
    ['UND_ERR_CONNECT_TIMEOUT', 'could not be established', '. Check baseUrl, and'],
    ['UND_ERR_PRX_CONN', 'proxy', '. Check the proxy URL'],
    ['UND_ERR_PRX_TLS', 'proxy', '. Check the proxy URL'],
    ['CERT_HAS_EXPIRED', 'secure connection', '. Check the certificate'],
    ['ERR_TLS_SESSION_ATTACK', 'TLS connection', '. Check that this port serves HTTPS'],
    ['ERR_SSL_BAD_RECORD_TYPE', 'TLS connection', '. Check that this port serves HTTPS'],
    ['EPROTO', 'TLS connection', '. Check that this port serves HTTPS'],
    ['ECONNRESET', 'closed', ''],
    ['EPIPE', 'closed', ''],
    ['UND_ERR_SOCKET', 'closed', ''],
    ['NEVER_HEARD_OF', 'broke', ''],
    ['EPROTOTYPE', 'broke', ''],
    ['MY_ERR_SSL_CODE', 'broke', ''],
    ['constructor', 'broke', ''],
  ])('%s says what happened and what to check', async (code, reason, fix) => {
    const error = await deleting(errorOf(code));
    expect(error).toBeInstanceOf(ConnectionError);
    const [what = '', ...rest] = error.message.split('. ');
    expect(what).toMatch(new RegExp(`^documents.delete to https://platform.example: .*${reason}.* \\(${code}\\)`));
    expect(
      rest
        .map((sentence) => `. ${sentence}`)
        .join('')
        .startsWith(fix),
    ).toBe(true);
    expect(rest).toHaveLength(fix === '' ? 0 : 1);
  });

  test.each([...handshakeCodes, 'UND_ERR_PRX_TLS'])('%s would fail again, and is not retried', async (code) => {
    expect((await deleting(errorOf(code))).attempts).toEqual([expect.objectContaining({ errorType: code })]);
    for (const other of [`X${code}`, `${code.slice(0, -1)}`])
      if (!/^(CERT|UNABLE_TO|DEPTH_ZERO|SELF_SIGNED|ERR_TLS_CERT)_/.test(other))
        expect((await deleting(errorOf(other))).attempts).toHaveLength(2);
  });

  test.each(unreachedCodes)('%s is retried', async (code) => {
    const error = await deleting(errorOf(code));
    expect(error.attempts.map(({ errorType }) => errorType)).toEqual([code, code]);
  });

  test.each([
    ['Proxy response (403) !== 200 when HTTP Tunneling', 'PROXY_403', 1],
    ['Proxy response (503) !== 200 when HTTP Tunneling', 'PROXY_503', 2],
    ['invalid onRequestStart method', 'DISPATCHER_MISMATCH', 1],
    ['bad port', 'BAD_PORT', 1],
    ['Client network socket disconnected before secure TLS connection was established', 'TLS_HANDSHAKE_CLOSED', 2],
  ])('with the exact message "%s" has a code and a fix', async (message, code, attempts) => {
    const error = await deleting(new TypeError('fetch failed', { cause: new Error(message) }));
    expect(error).toMatchObject({ cause: { code } });
    expect(error.attempts).toHaveLength(attempts);
    expect(error.message).toContain('. ');
    for (const other of [`a ${message}`, `${message} b`])
      expect(await deleting(new Error(other))).toMatchObject({ cause: { code: 'FETCH_FAILED' } });
  });

  test.each(['Proxy response (4) !== 200 when HTTP Tunneling', 'invalid only method', 'invalid on method'])(
    'with the message "%s" has none',
    async (message) => {
      expect(await deleting(new Error(message))).toMatchObject({ cause: { code: 'FETCH_FAILED' } });
    },
  );

  test.each(['HPE_INVALID_CONSTANT', 'UND_ERR_HEADERS_OVERFLOW', 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH'])(
    '%s is a response that is not HTTP',
    async (code) => {
      const error = await deleting(errorOf(code));
      expect(error).toBeInstanceOf(InvalidResponseError);
      expect(error).toMatchObject({ issues: [{ path: '', message: expect.stringContaining(code) }], cause: { code } });
    },
  );

  test.each(['MY_HPE_CODE', 'MY_UND_ERR_RES'])('%s is not', async (code) => {
    expect(await deleting(errorOf(code))).toBeInstanceOf(ConnectionError);
  });

  test.each([
    ['with white space', 'MY CODE'],
    ['with a prefix of it', ' CODE'],
    ['of 61 characters', 'C'.repeat(61)],
  ])('never shows a code %s, which may be anything', async (_, code) => {
    const error = await deleting(errorOf(code));
    expect(error).toMatchObject({ cause: { code: 'FETCH_FAILED' } });
    expect(JSON.stringify(error) + error.message).not.toContain(code);
  });

  test('that is its own cause has its code', async () => {
    const own = Object.assign(new Error('a'), { code: 'ECONNREFUSED' });
    own.cause = own;
    expect(await deleting(own)).toMatchObject({ cause: { code: 'ECONNREFUSED' } });
  });

  test('of which a getter throws has none', async () => {
    const unreadable = Object.defineProperty(errorOf('ECONNREFUSED'), 'cause', {
      get: () => {
        throw new Error('no');
      },
    });
    expect(await deleting(unreadable)).toMatchObject({ cause: { code: 'FETCH_FAILED' } });
  });

  test('with more causes than the stack has the code of an outer one', async () => {
    let error = errorOf('EPIPE');
    for (let index = 0; index < 100_000; index += 1) error = new Error('wrapped', { cause: error });
    expect(await deleting(Object.assign(new Error('outer', { cause: error }), { code: 'ECONNRESET' }))).toMatchObject({
      cause: { code: 'ECONNRESET' },
    });
  });

  test('with a message that is no string has none', async () => {
    expect(await deleting({ message: ['invalid onRequestStart method'] })).toMatchObject({
      cause: { code: 'FETCH_FAILED' },
    });
  });

  test('of a list of errors has the code of the first that has one', async () => {
    const errors = [new Error('a'), Object.assign(new Error('b'), { code: 'ENETUNREACH' })];
    expect(await deleting(new TypeError('fetch failed', { cause: new AggregateError(errors) }))).toMatchObject({
      cause: { code: 'ENETUNREACH' },
    });
  });

  test('has the code of the outermost error that has one', async () => {
    const inner = Object.assign(new Error('a'), { code: 7, cause: Object.assign(new Error('b'), { code: 'EPIPE' }) });
    expect(await deleting(new Error('c', { cause: inner }))).toMatchObject({ cause: { code: 'EPIPE' } });
  });
});

describe('what a message says about a call', () => {
  const failing = (responses: readonly Response[], options: CorridorOptions = {}): Promise<CorridorError> => {
    const { corridor } = scripted((_, index) => responses[index], {
      ...new InstantDelays().options,
      maxRetries: 1,
      ...options,
    });
    return failureOf(corridor.customers.get('cus_1'));
  };
  const status = (code: number, headers: Record<string, string> = {}): Response =>
    new Response(null, { status: code, headers });

  test('contains the number of attempts, if there were several', async () => {
    expect((await failing([status(503), status(500)])).message).toContain('2 attempts');
    expect((await failing([status(400)])).message).not.toContain('attempt');
  });

  test('contains the request id, if there is one', async () => {
    expect((await failing([status(400, { 'x-request-id': 'req-7' })])).message).toContain('request id req-7');
    expect((await failing([status(400)])).message).not.toContain('request id');
  });

  test('ends with the status, if the platform sent no text', async () => {
    expect((await failing([status(400)])).message).toMatch(/^customers\.get failed with status 400 \([^:]*\)$/);
  });

  test('names a response of which the runtime hides that it is a redirect', async () => {
    expect((await failing([Response.error()])).message).toMatch(/status 0: a redirect.*\. Check baseUrl$/);
  });

  test.each([300, 302, 399])('names a redirect with status %i and what to check', async (code) => {
    const error = await failing([status(code)]);
    expect(error.message).toMatch(/redirect.*\. Check baseUrl$/);
  });

  test.each([400, 599])('does not name another status a redirect: %i', async (code) => {
    expect((await failing([status(code)])).message).not.toContain('redirect');
  });

  test.each([408, 429, 500, 502, 503, 504])('of status %i follows a retry', async (code) => {
    expect((await failing([status(code), status(code)])).attempts).toHaveLength(2);
  });
});

describe('a signer that fails', () => {
  const calling = (thrown: unknown): Promise<CorridorError> => {
    const signer = (): Promise<Uint8Array> => Promise.reject(thrown);
    const { corridor } = scripted(() => ({}), { ...new InstantDelays().options, maxRetries: 1, signer });
    return failureOf(corridor.crypto.networks());
  };

  test.each([
    ['is called again if it is busy', Object.assign(new Error('slow down'), { name: 'ThrottlingException' }), 2],
    ['is not called again if it says no', new Error('no'), 1],
  ])('%s', async (_, thrown, attempts) => {
    const error = await calling(thrown);
    expect(error).toBeInstanceOf(SigningError);
    expect(error).toMatchObject({ outcome: 'not-sent', endpoint: 'crypto.networks' });
    expect(error.attempts).toHaveLength(attempts);
    expect(error.attempts[0]).toMatchObject({ errorType: 'signing' });
  });

  test('because of its option fails with the error of an option', async () => {
    const { corridor } = scripted(() => ({}), { claims: () => ({ key: 'key-of-the-tests' }) });
    expect(await failureOf(corridor.crypto.networks())).toBeInstanceOf(ConfigurationError);
  });
});

test('an error of the mock platform, which reports a mistake of a test, is shown and not retried', async () => {
  // Of another realm, as between two environments of Jest.
  const mistake = Object.assign(runInNewContext("new Error('key-of-the-tests is missing')") as Error, {
    [Symbol.for('corridor-sdk.mock-error')]: true,
  });
  const error = await deleting(mistake);
  expect(error).toBeInstanceOf(ConnectionError);
  expect(error).toMatchObject({ outcome: 'unknown', cause: { code: 'MOCK_PLATFORM_ERROR' } });
  expect(error.message).toContain('documents.delete: the mock platform failed: [secret] is missing');
  expect(error.attempts).toEqual([expect.objectContaining({ errorType: 'MOCK_PLATFORM_ERROR' })]);
});
