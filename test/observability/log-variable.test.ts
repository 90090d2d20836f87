import { afterEach, expect, test, vi } from 'vitest';
import { scripted } from '../support/scripted-fetch.ts';

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

/** The lines on stderr of a call, with this value of CORRIDOR_LOG. */
async function linesOf(value: string | undefined, options = {}): Promise<unknown[]> {
  vi.stubEnv('CORRIDOR_LOG', value);
  const printed = vi.spyOn(console, 'error').mockImplementation(() => {});
  const { corridor } = scripted(() => ({ networks: [] }), options);
  await corridor.crypto.networks();
  return printed.mock.calls.map(([line]) => line as unknown);
}

test.each(['debug', '"debug"', 'debug\r'])(
  'CORRIDOR_LOG=%j prints the requests of a client to stderr',
  async (value) => {
    expect(await linesOf(value)).toEqual([
      'crypto.networks (GET /api/v1/crypto/networks), attempt 1: sending',
      expect.stringMatching(/^crypto\.networks \(GET \/api\/v1\/crypto\/networks\), attempt 1: 200 in \d+ ms$/),
    ]);
  },
);

test.each([
  ['is not set', undefined, {}],
  ['has another value', 'off', {}],
  ['is debug, but the client has a logger', 'debug', { logger: { debug() {}, warn() {}, error() {} } }],
])('nothing is printed if CORRIDOR_LOG %s', async (_, value, options) => {
  expect(await linesOf(value, options)).toEqual([]);
});
