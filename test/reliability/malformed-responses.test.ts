import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { InvalidResponseError } from 'corridor-sdk';
import { failureOf } from '../support/failure-of.ts';
import { clientOf, FaultServer, json, networks, paymentRequest } from '../support/fault-server.ts';
import { sizes } from './sizes.ts';

const sending = (body: string | Buffer, headers: Readonly<Record<string, string>> = {}, status = 200) =>
  new FaultServer((response) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body),
  ).listen();

const text = JSON.stringify(networks);

describe('invalid JSON', () => {
  for (const [name, body] of [
    ['cut off', text.slice(0, -3)],
    ['with something behind it', `${text} x`],
    ['null', 'null'],
    ['a string', '"text"'],
    ['a list', '[]'],
    ['a number', '12'],
  ] as const) {
    it(`${name}: an invalid response whose message contains nothing of the body`, async () => {
      await using server = await sending(body);
      const error = await failureOf(clientOf(server, { maxRetries: 0 }).crypto.networks());
      expect(error).toBeInstanceOf(InvalidResponseError);
      expect(error.outcome).toBe('applied');
      expect(error.message).not.toContain('Polygon');
    });
  }

  it('a create whose response is cut off: applied, with the intent, sent once', async () => {
    await using server = await sending('{"id":"pay_1"', {}, 201);
    const error = await failureOf(clientOf(server).payments.create(paymentRequest));
    expect(error).toMatchObject({ outcome: 'applied', intent: { request: paymentRequest } });
    expect(server.received).toHaveLength(1);
  });
});

describe('JSON of another shape', () => {
  it('a duplicate key: the last one counts, as in JSON.parse', async () => {
    await using server = await sending(
      '{"networks":[{"id":"1","id":"2","displayName":"P","nativeAssetSymbol":"POL"}]}',
    );
    expect((await clientOf(server).crypto.networks())[0]?.id).toBe('2');
  });

  it('__proto__, constructor and toString as keys: own properties, not a prototype', async () => {
    await using server = await sending(
      '{"networks":[],"__proto__":{"polluted":true},"constructor":{"x":1},"toString":"text"}',
    );
    await clientOf(server).crypto.networks();
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  it('__proto__ in a record: it does not become its prototype', async () => {
    await using server = await sending(
      '{"networks":[{"id":"1","displayName":"P","nativeAssetSymbol":"POL","__proto__":{"evil":true}}]}',
    );
    const [network] = await clientOf(server).crypto.networks();
    expect(Object.getPrototypeOf(network)).toBe(Object.prototype);
    expect((network as unknown as { evil?: boolean }).evil).toBeUndefined();
  });
});

describe('bytes', () => {
  it('a byte order mark: ignored', async () => {
    await using server = await sending(Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(text)]));
    expect(await clientOf(server).crypto.networks()).toEqual(networks.networks);
  });

  it('a body that never ends costs no more than the limit', async () => {
    let sent = 0;
    await using server = await new FaultServer((response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const chunk = Buffer.alloc(1024 * 1024, 'x');
      const more = (): void => {
        while (!response.destroyed && sent < sizes.largeBody && response.write(chunk)) sent += chunk.length;
        if (!response.destroyed && sent < sizes.largeBody) response.once('drain', more);
      };
      more();
    }).listen();
    const before = process.memoryUsage().rss;
    expect((await failureOf(clientOf(server).crypto.networks())).code).toBe('invalid-response');
    expect(process.memoryUsage().rss - before).toBeLessThan(10 * 50 * 1024 * 1024);
    expect(sent).toBeLessThan(sizes.largeBody);
  });

  it('a small body that inflates to a huge one costs no more than the limit', async () => {
    const bomb = gzipSync(Buffer.alloc(sizes.bomb, ' '));
    await using server = await sending(bomb, { 'content-encoding': 'gzip' });
    const before = process.memoryUsage().rss;
    expect((await failureOf(clientOf(server).crypto.networks())).message).toContain('is larger than');
    expect(process.memoryUsage().rss - before).toBeLessThan(10 * 50 * 1024 * 1024);
  });

  for (const [encoding, compress] of [
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ] as const) {
    it(`${encoding}: read`, async () => {
      await using server = await sending(compress(text), { 'content-encoding': encoding });
      expect(await clientOf(server).crypto.networks()).toEqual(networks.networks);
    });
  }

  it('broken gzip: an InvalidResponseError', async () => {
    await using server = await sending(Buffer.from('not gzip at all'), { 'content-encoding': 'gzip' });
    expect(['connection', 'invalid-response']).toContain(
      (await failureOf(clientOf(server, { maxRetries: 0 }).crypto.networks())).code,
    );
  });

  it('nesting of a hundred thousand: invalid or returned, without a stack overflow', async () => {
    const deep = `{"networks":[],"deep":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    await using server = await sending(deep);
    expect(await clientOf(server, { maxRetries: 0 }).crypto.networks()).toEqual([]);
    await using rejecting = await sending(deep, {}, 400);
    expect((await failureOf(clientOf(rejecting).crypto.networks())).code).toBe('bad-request');
  });

  it('a content-length that cuts a body: invalid, never a shorter value', async () => {
    await using server = await new FaultServer((response) => {
      response.socket?.end(
        `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${text.length - 10}\r\n\r\n${text}`,
      );
    }).listen();
    expect((await failureOf(clientOf(server, { maxRetries: 0 }).crypto.networks())).code).toBe('invalid-response');
  });
});

describe('a missing or unexpected body', () => {
  for (const status of [200, 204, 205]) {
    it(`${status} without a body instead of a record: invalid`, async () => {
      await using server = await new FaultServer((response) => response.writeHead(status).end()).listen();
      expect((await failureOf(clientOf(server, { maxRetries: 0 }).crypto.networks())).message).toContain(
        'is empty, but must be JSON',
      );
    });
  }

  it('JSON under another content type: read', async () => {
    await using server = await sending(text, { 'content-type': 'text/plain' });
    expect(await clientOf(server).crypto.networks()).toEqual(networks.networks);
  });

  it('a page of a proxy instead of a payment: unknown, with the intent, sent once', async () => {
    await using server = await sending('<html><title>Blocked</title></html>', { 'content-type': 'text/html' });
    const error = await failureOf(clientOf(server).payments.create(paymentRequest));
    expect(error).toMatchObject({ outcome: 'unknown', intent: { request: paymentRequest } });
    expect(error.message).toContain('the response cannot be used: it is text/html with the title "Blocked"');
    expect(server.received).toHaveLength(1);
  });
});

describe('numbers', () => {
  it('strings of digits are unchanged', async () => {
    const method = {
      token: 'USDC',
      network: 'POLYGON',
      networkLabel: 'Polygon',
      networkFeeUsd: '12.30',
      contractAddress: '1234567890123456789',
      decimals: 6,
    };
    await using server = await new FaultServer((response) => json(response, 200, { methods: [method] })).listen();
    expect(await clientOf(server).crypto.paymentMethods()).toEqual([method]);
  });
});
