import fc from 'fast-check';
import { createMockPlatform, type MockPlatform } from 'corridor-sdk/mock';
import { describe, expect, test } from 'vitest';
import { payablePayment } from '../fixture.ts';
import { call, send, type SignedRequest } from '../sign.ts';

const json = fc.jsonValue({ maxDepth: 4 });
// Seconds in CI, a minute with CORRIDOR_SOAK=1.
const numRuns = process.env['CORRIDOR_SOAK'] === '1' ? 800 : 150;

/** Sends a correctly signed request, and expects a JSON response, successful or not. */
async function expectResponse(platform: MockPlatform, request: SignedRequest): Promise<number> {
  const response = await send(platform.clientOptions(), request);
  const text = await response.text();
  expect(response.status).toBeGreaterThanOrEqual(200);
  expect(response.status).toBeLessThan(500);
  if (response.status !== 204) expect(JSON.parse(text)).toEqual(expect.any(Object));
  return response.status;
}

describe('every signed request gets a JSON response, and never a 500', () => {
  const platform = createMockPlatform();
  platform.populate({ payments: 20 });

  test('bodies of any JSON', async () => {
    await fc.assert(
      fc.asyncProperty(json, async (body) => {
        expect(await expectResponse(platform, { method: 'POST', path: '/api/v1/payment', json: body })).toBe(400);
      }),
      { numRuns },
    );
  });

  test('payments with any one field replaced', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(
          'customerId',
          'beneficiaryId',
          'amount',
          'currencyCode',
          'purposeOfPayment',
          'documentIds',
          'paymentQuoteId',
          'memo',
        ),
        json,
        async (field, value) => {
          const status = await expectResponse(platform, {
            method: 'POST',
            path: '/api/v1/payment',
            json: { ...payablePayment(platform), [field]: value },
          });
          expect([201, 400, 422]).toContain(status);
        },
      ),
      { numRuns },
    );
  });

  test('bodies of any string or bytes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', minLength: 1 }), async (text) => {
        await expectResponse(platform, { method: 'POST', path: '/api/v1/support/partner-tickets/tic_1/replies', text });
      }),
      { numRuns },
    );
  });

  test('queries of any names and values', async () => {
    const name = fc.oneof(
      fc.constantFrom('status', 'limit', 'cursor', 'createdFrom', 'createdTo', '__proto__', 'constructor'),
      fc.string(),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(name, fc.string({ unit: 'grapheme' }))), async (pairs) => {
        await expectResponse(platform, { path: `/api/v1/payment?${new URLSearchParams(pairs)}` });
      }),
      { numRuns },
    );
  });

  test('ids of any string', async () => {
    const id = fc.oneof(
      fc.string({ unit: 'grapheme', minLength: 1 }),
      fc.constantFrom('__proto__', 'constructor', 'toString', '%', '..%2f..', '%00', 'null'),
    );
    const path = fc.constantFrom(
      '/api/v1/customers/ID',
      '/api/v1/documents/ID',
      '/api/v1/customers/ID/persons/ID/screening',
      '/downloads/ID/documents/ID',
    );
    await fc.assert(
      fc.asyncProperty(path, id, async (pattern, text) => {
        expect(
          await expectResponse(platform, { path: pattern.replaceAll('ID', encodeURIComponent(text)) }),
        ).toBeGreaterThanOrEqual(400);
      }),
      { numRuns },
    );
  });

  test('paths of any string', async () => {
    await fc.assert(
      fc.asyncProperty(fc.webPath(), fc.constantFrom('GET', 'POST', 'DELETE', 'PUT', 'PATCH'), async (path, method) => {
        expect(await expectResponse(platform, { method, path: `/${path}` })).toBeGreaterThanOrEqual(400);
      }),
      { numRuns },
    );
  });

  test('claims of any JSON', async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom('iat', 'exp', 'jti', 'uri', 'bodyHash'), json, async (claim, value) => {
        const status = await expectResponse(platform, { path: '/api/v1/crypto/networks', claims: { [claim]: value } });
        expect([200, 401]).toContain(status);
      }),
      { numRuns },
    );
  });

  test('headers of any string', async () => {
    const header = fc.string().map((text) => text.replace(/[^\x20-\x7e]/g, ''));
    await fc.assert(
      fc.asyncProperty(header, header, async (apiKey, authorization) => {
        const { status } = await call(platform.clientOptions(), {
          path: '/api/v1/payment',
          headers: { 'x-api-key': apiKey, authorization },
        });
        expect(status).toBe(401);
      }),
      { numRuns },
    );
  });

  test('deeply nested JSON', async () => {
    for (const text of [
      '['.repeat(100_000),
      `${'['.repeat(100_000)}${']'.repeat(100_000)}`,
      `{"memo":${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}}`,
    ]) {
      expect(await expectResponse(platform, { method: 'POST', path: '/api/v1/payment', text })).toBe(400);
    }
  });
});
