import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { InvalidResponseError, type CorridorError } from 'corridor-sdk';
import { clientOf, FaultServer, json, networks, paymentRequest } from './fault-server.js';
import { sizes } from './sizes.js';

const failureOf = (call: Promise<unknown>): Promise<CorridorError> => call.then(() => expect.unreachable('the call should fail'), (error: CorridorError) => error);

const sending = (body: string | Buffer, headers: Readonly<Record<string, string>> = {}, status = 200) =>
  new FaultServer((response) => response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body)).listen();

const text = JSON.stringify(networks);

describe('JSON that is none', () => {
  for (const [name, body] of [
    ['cut off', text.slice(0, -3)], ['with something behind it', `${text} x`], ['null', 'null'], ['a string', '"text"'], ['a list', '[]'], ['a number', '12'],
  ] as const) {
    it(`M1 ${name}: an unusable answer that shows nothing of the body in its message`, async () => {
      await using server = await sending(body);
      const error = await failureOf(clientOf(server, { retries: 0 }).crypto.networks());
      expect(error).toBeInstanceOf(InvalidResponseError);
      expect(error.outcome).toBe('applied');
      expect(error.message).not.toContain('Polygon');
    });
  }

  it('M1 a create whose answer is cut off: applied, with the intent, sent once', async () => {
    await using server = await sending('{"id":"pay_1"', {}, 201);
    const error = await failureOf(clientOf(server).payments.create(paymentRequest));
    expect(error).toMatchObject({ outcome: 'applied', intent: { request: paymentRequest } });
    expect(server.received).toHaveLength(1);
  });
});

describe('JSON of another shape', () => {
  it('M2 a wrong type: unusable, with its place only', async () => {
    await using server = await sending('{"networks":[{"id":17,"displayName":"Polygon","nativeAssetSymbol":"POL"}]}');
    const error = (await failureOf(clientOf(server).crypto.networks())) as InvalidResponseError;
    expect(error.issues).toEqual([{ path: 'networks[0].id', message: 'must be a string (got number)' }]);
    expect(error.message).not.toContain('17');
  });

  it('M2 a missing field: unusable, and not tried again', async () => {
    await using server = await sending('{"networks":[{"id":"1","displayName":"Polygon"}]}');
    expect(((await failureOf(clientOf(server).crypto.networks())) as InvalidResponseError).issues).toEqual([{ path: 'networks[0].nativeAssetSymbol', message: 'is missing' }]);
    expect(server.received).toHaveLength(1);
  });

  it('M2 a further field: handed on', async () => {
    await using server = await sending('{"networks":[{"id":"1","displayName":"P","nativeAssetSymbol":"POL","color":"violet"}]}');
    expect(await clientOf(server).crypto.networks()).toEqual([{ id: '1', displayName: 'P', nativeAssetSymbol: 'POL', color: 'violet' }]);
  });

  it('M3 a key that comes twice: the last one counts, as everywhere in JavaScript', async () => {
    await using server = await sending('{"networks":[{"id":"1","id":"2","displayName":"P","nativeAssetSymbol":"POL"}]}');
    expect((await clientOf(server).crypto.networks())[0]?.id).toBe('2');
  });

  it('M4 __proto__, constructor and toString as keys: own data, and no prototype', async () => {
    await using server = await sending('{"networks":[],"__proto__":{"polluted":true},"constructor":{"x":1},"toString":"text"}');
    await clientOf(server).crypto.networks();
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  it('M4 __proto__ in a record: it does not become its prototype', async () => {
    await using server = await sending('{"networks":[{"id":"1","displayName":"P","nativeAssetSymbol":"POL","__proto__":{"evil":true}}]}');
    const [network] = await clientOf(server).crypto.networks();
    expect(Object.getPrototypeOf(network)).toBe(Object.prototype);
    expect((network as unknown as { evil?: boolean }).evil).toBeUndefined();
  });
});

describe('bytes', () => {
  it('M5 a byte order mark: read over', async () => {
    await using server = await sending(Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(text)]));
    expect(await clientOf(server).crypto.networks()).toEqual(networks.networks);
  });

  it('M5 broken UTF-8: unusable, rather than another text', async () => {
    await using server = await sending(Buffer.concat([Buffer.from('{"networks":[{"id":"'), Buffer.from([0xff, 0xfe]), Buffer.from('","displayName":"P","nativeAssetSymbol":"POL"}]}')]));
    expect((await failureOf(clientOf(server).crypto.networks())).message).toContain('is not valid UTF-8');
  });

  it('M6 an answer at the limit is read, and one beyond it is not', async () => {
    await using server = await sending(text);
    expect(await clientOf(server, { maxResponseBytes: text.length }).crypto.networks()).toEqual(networks.networks);
    const error = await failureOf(clientOf(server, { maxResponseBytes: text.length - 1 }).crypto.networks());
    expect(error.message).toContain(`is larger than ${text.length - 1} bytes (maxResponseBytes)`);
    expect(server.received).toHaveLength(2);
  });

  it('M6 a body that never ends costs no more than the limit', async () => {
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

  it('M6 a small body that inflates to a huge one costs no more than the limit', async () => {
    const bomb = gzipSync(Buffer.alloc(sizes.bomb, ' '));
    await using server = await sending(bomb, { 'content-encoding': 'gzip' });
    const before = process.memoryUsage().rss;
    expect((await failureOf(clientOf(server).crypto.networks())).message).toContain('is larger than');
    expect(process.memoryUsage().rss - before).toBeLessThan(10 * 50 * 1024 * 1024);
  });

  for (const [encoding, compress] of [['gzip', gzipSync], ['deflate', deflateSync], ['br', brotliCompressSync]] as const) {
    it(`M6 ${encoding}: read`, async () => {
      await using server = await sending(compress(text), { 'content-encoding': encoding });
      expect(await clientOf(server).crypto.networks()).toEqual(networks.networks);
    });
  }

  it('M6 broken gzip: an error of ours', async () => {
    await using server = await sending(Buffer.from('not gzip at all'), { 'content-encoding': 'gzip' });
    expect(['connection', 'invalid-response']).toContain((await failureOf(clientOf(server, { retries: 0 }).crypto.networks())).code);
  });

  it('M7 nesting of a hundred thousand: unusable or handed on, and no overflow gets out', async () => {
    const deep = `{"networks":[],"deep":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    await using server = await sending(deep);
    expect(await clientOf(server, { retries: 0 }).crypto.networks()).toEqual([]);
    await using refusing = await sending(deep, {}, 400);
    expect((await failureOf(clientOf(refusing).crypto.networks())).code).toBe('api');
  });

  it('M8 a content-length that cuts a body: unusable, never a shorter value', async () => {
    await using server = await new FaultServer((response) => {
      response.socket?.end(`HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${text.length - 10}\r\n\r\n${text}`);
    }).listen();
    expect((await failureOf(clientOf(server, { retries: 0 }).crypto.networks())).code).toBe('invalid-response');
  });
});

describe('no body, or one too many', () => {
  for (const status of [200, 204, 205]) {
    it(`M9 ${status} with nothing, where a record is due: unusable`, async () => {
      await using server = await new FaultServer((response) => response.writeHead(status).end()).listen();
      expect((await failureOf(clientOf(server, { retries: 0 }).crypto.networks())).message).toContain('is empty, and JSON is due');
    });
  }

  it('M9 a body where none is due: read over', async () => {
    await using server = await sending('<html>deleted</html>', { 'content-type': 'text/html' });
    await expect(clientOf(server).documents.delete('doc_1')).resolves.toBeUndefined();
  });

  it('M10 JSON under another content type: read', async () => {
    await using server = await sending(text, { 'content-type': 'text/plain' });
    expect(await clientOf(server).crypto.networks()).toEqual(networks.networks);
  });

  it('M10 HTML, even if JSON stands in it: unusable', async () => {
    await using server = await sending(text, { 'content-type': 'text/html; charset=utf-8' });
    expect((await failureOf(clientOf(server, { retries: 0 }).crypto.networks())).message).toContain('is HTML');
  });
});

describe('numbers', () => {
  it('M11 texts of digits stay what they were', async () => {
    const method = { token: 'USDC', network: 'POLYGON', networkLabel: 'Polygon', networkFeeUsd: '12.30', contractAddress: '1234567890123456789', decimals: 6 };
    await using server = await new FaultServer((response) => json(response, 200, { methods: [method] })).listen();
    expect(await clientOf(server).crypto.paymentMethods()).toEqual([method]);
  });

  for (const decimals of ['1e400', '1234567890123456789', '1.5']) {
    it(`M11 ${decimals} where a whole number is due: unusable`, async () => {
      await using server = await sending(`{"methods":[{"token":"T","network":"N","networkLabel":"L","networkFeeUsd":"1","contractAddress":"C","decimals":${decimals}}]}`);
      expect(((await failureOf(clientOf(server).crypto.paymentMethods())) as InvalidResponseError).issues).toMatchObject([{ path: 'methods[0].decimals' }]);
    });
  }
});
