import { expect, test } from 'vitest';
import { evidenceOf, serveVerifiable, verifyPlatform } from './platform.js';

const readOnly = { writes: undefined, permissions: new Set(['probe-auth'] as const) };

test('the probe of tokens does not take a slow platform for one with another clock', async () => {
  let now = Date.now();
  const verifiable = await serveVerifiable({ now: () => now });
  verifiable.platform.clock.resume();
  const verified = await verifyPlatform(
    { ...verifiable, settings: { ...verifiable.settings, ...readOnly } },
    undefined,
    async (input, init) => {
      const response = await fetch(input, init);
      if (new Request(input).url.includes('/crypto/networks')) now += 5_000;
      return response;
    },
  );
  await verifiable.served.close();

  expect(evidenceOf(verified, 'A-2', 'claims')).toEqual([expect.stringMatching(/^confirmed: .*; clock in sync;/)]);
});

test('the probe of tokens says how much the clock of the platform is ahead', async () => {
  const verifiable = await serveVerifiable({});
  const verified = await verifyPlatform(
    { ...verifiable, settings: { ...verifiable.settings, ...readOnly } },
    undefined,
    async (input, init) => {
      const response = await fetch(input, init);
      const headers = new Headers(response.headers);
      headers.set('date', new Date(Date.parse(headers.get('date') ?? '') + 20_000).toUTCString());
      return new Response(response.body, { status: response.status, headers });
    },
  );
  await verifiable.served.close();

  expect(evidenceOf(verified, 'A-2', 'claims')).toEqual([
    expect.stringMatching(/^confirmed: .*; clock (?:19|20) s ahead;/),
  ]);
});
