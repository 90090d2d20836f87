import { afterEach, expect, test, vi } from 'vitest';
import { evidenceOf, serveVerifiable, verifyPlatform } from './platform.ts';

afterEach(() => vi.unstubAllEnvs());

/** Changes the text of each response. */
function changeBodies(change: (text: string) => string): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    const { status } = response;
    const headers = new Headers(response.headers);
    headers.delete('content-length');
    return new Response(status === 204 ? null : change(await response.text()), { status, headers });
  };
}

const withoutZones = (text: string): string => text.replaceAll(/(\d{4}-\d\d-\d\dT[\d:.]+)Z"/g, '$1"');

test.each(['America/New_York', 'Asia/Tokyo'])('times without a zone are UTC on a machine in %s', async (zone) => {
  const verifiable = await serveVerifiable({});
  vi.stubEnv('TZ', zone);
  const verified = await verifyPlatform(verifiable, undefined, changeBodies(withoutZones));
  await verifiable.served.close();

  expect(evidenceOf(verified, 'A-14', 'the field')).toEqual([expect.stringMatching(/^confirmed: /)]);
  expect(evidenceOf(verified, 'A-31')).toEqual([expect.stringMatching(/^confirmed: milliseconds/)]);
  expect(evidenceOf(verified, 'A-11', 'how long lists lag')).toEqual([
    'confirmed: the first read of the list had the payment',
  ]);
});

test('the precision of the filters is not testable if they do not find a payment by its createdAt', async () => {
  const verifiable = await serveVerifiable({});
  const verified = await verifyPlatform(
    { ...verifiable, writes: undefined },
    undefined,
    changeBodies((text) => text.replaceAll(/"createdAt":"20/g, '"createdAt":"19')),
  );
  await verifiable.served.close();

  expect(evidenceOf(verified, 'A-31')).toEqual([expect.stringMatching(/^not seen: .*status 200/)]);
});

// As values of JSON: texts, numbers, and objects that cannot be converted to a string.
test.each(['"soon"', '"275760-09-13T00:00:00Z"', '1764000000', 'null', '["x"]', '{"toString":1,"valueOf":1}'])(
  'a platform whose timestamps are all %s fails no probe',
  async (time) => {
    const verifiable = await serveVerifiable({});
    const verified = await verifyPlatform(
      verifiable,
      undefined,
      changeBodies((text) => text.replaceAll(/"\d{4}-\d\d-\d\dT[\d:.]+Z"/g, time)),
    );
    await verifiable.served.close();

    expect(verified.problem).toBeUndefined();
    expect(evidenceOf(verified, 'A-7')).toEqual([expect.stringMatching(/^contradicted: /)]);
    for (const row of ['A-8', 'A-22'])
      expect(evidenceOf(verified, row)).toEqual([expect.stringMatching(/^(?:confirmed|contradicted): \d+ records/)]);
  },
);
