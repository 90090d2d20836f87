import { Corridor, type CorridorOptions } from 'corridor-sdk';
import { type FaultServer, json, paymentRequest, type Responder } from '../../support/fault-server.ts';
import { privateKey } from '../../support/key.ts';
import { canary, signedUrl } from '../canaries.ts';

export const { apiKey, account, kms } = canary;

export const clientOf = (server: { readonly url: string }, options: CorridorOptions = {}): Corridor =>
  new Corridor({ baseUrl: server.url, apiKey, privateKey, maxRetries: 0, ...options });
export const tokensSentTo = (server: FaultServer): string[] =>
  server.received.map(({ headers }) => String(headers.authorization).replace('Bearer ', ''));

/** Everything that was sent and more, as a careless or hostile platform may return it. */
export const echo = (headers: object): string => `${JSON.stringify(headers)} ${privateKey} ${signedUrl}`;
export const everyCall: readonly ((corridor: Corridor) => PromiseLike<unknown>)[] = [
  ({ crypto }) => crypto.networks(),
  ({ payments }) => payments.create(paymentRequest),
  ({ payments }) => payments.list(),
  ({ customers }) => customers.get('cus_1'),
  ({ support }) => support.attachmentUrl('tic_1', 'att_1'),
  (corridor) => corridor.request({ method: 'POST', path: '/api/v1/x', body: {} }),
];

export const responses: readonly (readonly [name: string, respond: Responder, options?: CorridorOptions])[] = [
  ...[300, 302, 400, 401, 403, 404, 408, 409, 410, 413, 422, 425, 429, 500, 501, 502, 503, 504].map(
    (status): [string, Responder] => [
      `status ${status}`,
      (response, { headers }) =>
        json(
          response,
          status,
          { error: { code: `no ${apiKey}`, message: echo(headers) }, iban: account, url: signedUrl },
          { 'x-echo': String(headers['x-api-key']), location: signedUrl },
        ),
    ],
  ),
  [
    'problem+json',
    (response, { headers }) =>
      json(response, 422, { type: `https://x/${headers['x-api-key']}`, detail: echo(headers) }),
  ],
  [
    'a list of messages',
    (response, { headers }) =>
      json(response, 400, { statusCode: 400, error: apiKey, message: [echo(headers), signedUrl] }),
  ],
  [
    'an HTML page',
    (response, { headers }) =>
      response.writeHead(502, { 'content-type': 'text/html' }).end(`<html>${echo(headers)}</html>`),
  ],
  ['a text', (response, { headers }) => response.writeHead(500).end(echo(headers))],
  [
    'a request id that echoes the API key',
    (response, { headers }) => json(response, 400, {}, { 'x-request-id': `req_${headers['x-api-key']}` }),
  ],
  [
    'a request id that echoes the token',
    (response, { headers }) => json(response, 500, {}, { 'x-request-id': String(headers.authorization) }),
  ],
  [
    'JSON that is cut',
    (response, { headers }) => response.writeHead(200).end(`{"key":"${headers['x-api-key']}","iban":"${account}`),
  ],
  [
    'JSON of another shape',
    (response, { headers }) =>
      json(response, 200, {
        networks: [{ id: 1, displayName: headers.authorization, iban: account }],
        items: [{ id: 1, iban: account }],
      }),
  ],
  [
    'fields named by what was sent',
    (response, { headers }) =>
      json(response, 200, {
        networks: [],
        items: [],
        nextCursor: null,
        hasMore: false,
        [apiKey]: 1,
        [String(headers.authorization)]: 2,
      }),
    { validation: 'strict' },
  ],
  ['nothing', (response) => response.writeHead(200).end()],
  ['HTML for JSON', (response) => response.writeHead(200, { 'content-type': 'text/html' }).end(signedUrl)],
  ['broken UTF-8', (response) => response.writeHead(200).end(Buffer.from([0x7b, 0xff]))],
  [
    'too much',
    (response, { headers }) => response.writeHead(200).end(JSON.stringify(headers).repeat(100)),
    { maxResponseBytes: 100 },
  ],
  ['several URLs', (response) => json(response, 200, { a: signedUrl, b: `${signedUrl}2`, networks: 1, items: 1 })],
  ['what is not HTTP', (response, { headers }) => response.socket?.end(`${JSON.stringify(headers)}\r\n\r\n`)],
  ['a reset', (response) => response.socket?.resetAndDestroy()],
  ['a closed connection', (response) => response.socket?.end()],
  [
    'a body that breaks off',
    (response) => {
      response.writeHead(200, { 'content-length': '999' }).write('{');
      setImmediate(() => response.socket?.resetAndDestroy());
    },
  ],
  ['silence', () => {}, { timeout: 30 }],
  ['silence until the deadline', () => {}, { totalTimeout: 30 }],
];
