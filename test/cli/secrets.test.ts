import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FaultServer, json, type Responder } from '../support/fault-server.ts';
import { privateKey } from '../support/key.ts';
import { canary, secretsIn } from '../security/canaries.ts';
import { corridor } from './corridor.ts';

let server: FaultServer;
let environment: Readonly<Record<string, string>>;

beforeAll(async () => {
  server = await new FaultServer(() => {}).listen();
  environment = { CORRIDOR_BASE_URL: server.url, CORRIDOR_API_KEY: canary.apiKey, CORRIDOR_PRIVATE_KEY: privateKey };
});

afterAll(() => server[Symbol.asyncDispose]());

/** A platform that sends back whatever it was sent, and more. */
const everything = (headers: object): string => `${JSON.stringify(headers)} ${privateKey}`;
const page = (headers: object): object => ({
  items: [{ id: everything(headers), [canary.apiKey]: 1 }],
  nextCursor: null,
  hasMore: false,
});

const responses: readonly (readonly [name: string, words: readonly string[], respond: Responder])[] = [
  [
    'an array',
    ['crypto.networks', '--json'],
    (response, { headers }) =>
      json(response, 200, {
        networks: [
          {
            id: everything(headers),
            displayName: String(headers.authorization),
            nativeAssetSymbol: String(headers['x-api-key']),
          },
        ],
      }),
  ],
  [
    'a table',
    ['crypto.networks'],
    (response, { headers }) =>
      json(response, 200, {
        networks: [
          {
            id: everything(headers),
            displayName: String(headers.authorization),
            nativeAssetSymbol: String(headers['x-api-key']),
          },
        ],
      }),
  ],
  [
    'a record',
    ['support.reply', 'tic_1', '{"bodyText":"a"}', '--yes'],
    (response, { headers }) =>
      json(response, 201, { echo: headers, keys: privateKey.split('\n'), all: everything(headers) }),
  ],
  [
    'lines of JSON',
    ['support.reply', 'tic_1', '{"bodyText":"a"}', '--yes', '--jsonl'],
    (response, { headers }) =>
      json(response, 201, { echo: headers, keys: privateKey.split('\n'), all: everything(headers) }),
  ],
  [
    'a link',
    ['documents.downloadUrl', 'doc_1'],
    (response, { headers }) =>
      json(response, 200, {
        url: `https://files.example.com/f?key=${headers['x-api-key']}&token=${headers.authorization?.slice(7)}`,
      }),
  ],
  [
    'an error response',
    ['customers.get', 'cus_1'],
    (response, { headers }) =>
      json(
        response,
        401,
        { code: String(headers['x-api-key']), message: everything(headers) },
        { 'x-request-id': String(headers['x-api-key']) },
      ),
  ],
  [
    'an error response as JSON',
    ['customers.get', 'cus_1', '--json'],
    (response, { headers }) =>
      json(response, 422, { error: { code: String(headers.authorization), message: everything(headers) } }),
  ],
  [
    'a response of another shape',
    ['payments.list', '--json'],
    (response, { headers }) => json(response, 200, { ...page(headers), [String(headers['x-api-key'])]: headers }),
  ],
  [
    'a body that is not JSON',
    ['payments.list'],
    (response, { headers }) => response.writeHead(200).end(everything(headers)),
  ],
];

describe('no secret is printed', () => {
  test.each(responses)('in %s', async (_, words, respond) => {
    server.received.length = 0;
    server.respond = respond;

    const { output, notes } = await corridor(['call', ...words], { environment });

    const tokens = server.received.map(({ headers }) => String(headers.authorization).replace('Bearer ', ''));
    expect(tokens.length).toBeGreaterThan(0);
    expect(output + notes).not.toBe('');
    expect(secretsIn(output + notes, tokens)).toEqual([]);
  });

  test('from the last line of the private key, however short it is', async () => {
    const lastLine = /(.{10})\n-----END/.exec(privateKey)?.[1] ?? '';
    const wrapped = privateKey.replace(lastLine, `\n${lastLine}`);
    server.respond = (response) =>
      json(response, 200, { networks: [{ id: 'a', displayName: wrapped, nativeAssetSymbol: 'A' }] });

    const { output } = await corridor(['call', 'crypto.networks', '--json'], {
      environment: { ...environment, CORRIDOR_PRIVATE_KEY: wrapped },
    });

    expect(output).toContain('displayName');
    expect(output).not.toContain(lastLine);
  });

  test('if the API key is short', async () => {
    server.respond = (response, { headers }) =>
      json(response, 200, {
        networks: [{ id: 'a', displayName: `key ${String(headers['x-api-key'])}`, nativeAssetSymbol: 'A' }],
      });

    const { output } = await corridor(['call', 'crypto.networks', '--json'], {
      environment: { ...environment, CORRIDOR_API_KEY: 'k7Xq2z' },
    });

    expect(output).toContain('displayName');
    expect(output).not.toContain('k7Xq2z');
  });

  test.each([[[]], [['--json']]])('in the output of doctor %j', async (options) => {
    server.received.length = 0;
    server.respond = (response, { headers }) => json(response, 403, { code: 'no', message: everything(headers) });

    const { output, notes } = await corridor(['doctor', ...options], { environment });

    expect(server.received).toHaveLength(1);
    expect(secretsIn(output + notes, [String(server.received[0]?.headers.authorization).slice(7)])).toEqual([]);
  });

  test.each([
    ['an API key that cannot be sent', { CORRIDOR_API_KEY: `${canary.apiKey}\n` }],
    ['a key that is cut off', { CORRIDOR_PRIVATE_KEY: privateKey.slice(0, 900) }],
    ['a base URL that is the API key', { CORRIDOR_BASE_URL: canary.apiKey }],
    ['a base URL with the API key in it', { CORRIDOR_BASE_URL: `https://user:${canary.apiKey}@platform.example` }],
    ['a private key that is the API key', { CORRIDOR_PRIVATE_KEY: canary.apiKey }],
    ['an API key that is the private key', { CORRIDOR_API_KEY: privateKey }],
  ])('of %s', async (_, wrong) => {
    const runs = await Promise.all(
      [['doctor'], ['call', 'crypto.networks']].map((words) =>
        corridor(words, { environment: { ...environment, ...wrong } }),
      ),
    );

    for (const { code, output, notes } of runs) {
      expect(code).toBe(1);
      expect(secretsIn(output + notes)).toEqual([]);
    }
  });

  test('if a secret is on the command line or in a file that is read by mistake', async () => {
    const runs = await Promise.all(
      [
        [canary.apiKey],
        ['call', canary.apiKey],
        ['call', 'payments.list', canary.apiKey],
        ['keygen', `--${canary.apiKey}`],
        ['doctor', '--json', canary.apiKey],
      ].map((words) => corridor(words, { environment })),
    );

    for (const { output, notes } of runs) expect(secretsIn(output + notes)).toEqual([]);
  });
});

test('the search finds a secret that is printed', () => {
  expect(
    secretsIn(
      everything({ 'x-api-key': canary.apiKey, authorization: `Bearer eyJhbGciOiJSUzI1NiJ9.${'a'.repeat(20)}.b` }),
    ),
  ).toEqual(['apiKey', 'private key', 'token']);
});
