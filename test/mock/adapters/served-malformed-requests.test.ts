import { connect } from 'node:net';
import fc from 'fast-check';
import { serveMockPlatform, type MockPlatformServer } from 'corridor-sdk/mock/node';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { send } from '../sign.ts';

// Seconds in CI, a minute with CORRIDOR_SOAK=1.
const numRuns = process.env['CORRIDOR_SOAK'] === '1' ? 800 : 150;

let served: MockPlatformServer;
beforeAll(async () => {
  served = await serveMockPlatform({ control: true });
});
afterAll(() => served.close());

/** Writes bytes to a socket, ends it, and returns the response. */
function written(bytes: Uint8Array): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(served.url).port), '127.0.0.1');
    let response = '';
    socket
      .setEncoding('latin1')
      .on('data', (part: string) => (response += part))
      .on('close', () => resolve(response));
    socket.on('error', (error: Error & { code?: string }) =>
      error.code === 'ECONNRESET' || error.code === 'EPIPE' ? resolve(response) : reject(error),
    );
    socket.end(bytes);
  });
}

/** Asserts that every response in the received bytes is an error of the client. */
function expectErrors(response: string): void {
  for (const [, status] of response.matchAll(/HTTP\/1\.1 (\d+)/g)) {
    expect(Number(status)).toBeGreaterThanOrEqual(400);
    expect(Number(status)).toBeLessThan(500);
  }
}

const latin = new TextEncoder();

describe('a served platform survives any input and never responds with a 500', () => {
  test('bytes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 300 }), async (bytes) =>
        expectErrors(await written(bytes)),
      ),
      { numRuns },
    );
    expect((await fetch(`${served.url}/api/v1/payment`)).status).toBe(401);
  });

  test('requests of any method, target, headers and body', async () => {
    const token = fc.stringMatching(/^[!-~]{1,30}$/);
    const method = fc.oneof(
      fc.constantFrom('GET', 'POST', 'DELETE', 'HEAD', 'TRACE', 'get'),
      fc.stringMatching(/^[A-Z]{1,10}$/),
    );
    const target = fc.oneof(
      token.map((text) => `/${text}`),
      fc.constantFrom(
        '*',
        '//',
        '/..',
        '/%00',
        '/%',
        '/api/v1/payment?%',
        'http://[',
        '/api/v1/customers/%ff',
        '/__mock/',
        '/__mock/%',
      ),
    );
    const host = fc.constantFrom('host: a\r\n', '', 'host: a\r\nexpect: foo\r\n');
    const header = fc
      .tuple(fc.stringMatching(/^[a-z-]{1,15}$/), fc.stringMatching(/^[ -~]{0,40}$/))
      .map(([name, value]) => `${name}: ${value}`);
    const body = fc.uint8Array({ maxLength: 100 });
    await fc.assert(
      fc.asyncProperty(
        method,
        target,
        host,
        fc.array(header, { maxLength: 5 }),
        body,
        async (verb, path, first, headers, bytes) => {
          const head = latin.encode(
            `${verb} ${path} HTTP/1.1\r\n${first}${headers.map((line) => `${line}\r\n`).join('')}connection: close\r\ncontent-length: ${bytes.length}\r\n\r\n`,
          );
          expectErrors(await written(Uint8Array.of(...head, ...bytes)));
        },
      ),
      { numRuns },
    );
    expect((await fetch(`${served.url}/api/v1/payment`)).status).toBe(401);
  });

  test('bodies of any bytes, signed or not', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', minLength: 1 }), async (text) => {
        const response = await send(served.clientOptions(), { method: 'POST', path: '/api/v1/payment', text });
        expect(response.status).toBe(400);
        expect(await response.json()).toMatchObject({ code: expect.any(String) });
      }),
      { numRuns },
    );
  });
});
