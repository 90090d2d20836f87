import { describe, expect, test } from 'vitest';
import { adapters } from './adapters.ts';

describe.each(adapters)('crypto.paymentMethods over $name', ({ open }) => {
  test('lists the enabled tokens on networks', async () => {
    await using stage = await open();
    const methods = await stage.corridor.crypto.paymentMethods();
    expect(methods.length).toBeGreaterThan(0);
    for (const method of methods) {
      expect(method).toEqual({
        token: expect.any(String),
        network: expect.any(String),
        networkLabel: expect.any(String),
        networkFeeUsd: expect.stringMatching(/^\d+(\.\d+)?$/),
        contractAddress: expect.any(String),
        decimals: expect.any(Number),
      });
    }
  });

  test('reports the response metadata', async () => {
    await using stage = await open();
    const { data, status, requestId, attempts, headers } = await stage.corridor.crypto.paymentMethods().withResponse();
    expect(data).toEqual(await stage.corridor.crypto.paymentMethods());
    expect({ status, requestId, attempts }).toEqual({
      status: 200,
      requestId: stage.platform.requests[0]?.requestId,
      attempts: [{ attempt: 1, status: 200, delay: 0 }],
    });
    expect(headers.get('content-type')).toBe('application/json');
  });
});

describe.each(adapters)('crypto.networks over $name', ({ open }) => {
  test('lists the enabled networks, each that a payment method names', async () => {
    await using stage = await open();
    const networks = await stage.corridor.crypto.networks();
    const named = new Set((await stage.corridor.crypto.paymentMethods()).map(({ network }) => network));
    expect(new Set(networks.map(({ id }) => id))).toEqual(named);
    for (const network of networks)
      expect(network).toEqual({
        id: expect.any(String),
        displayName: expect.any(String),
        nativeAssetSymbol: expect.any(String),
      });
  });
});
