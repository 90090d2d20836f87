import { serveMockPlatform, type MockPlatformServer, type ServeOptions } from 'corridor-sdk/mock/node';
import { describe, expect, onTestFinished, test } from 'vitest';
import { FaultServer, json } from '../../support/fault-server.ts';
import { environmentOf } from '../corridor.ts';
import { findings } from './findings.ts';
import { servePlatform } from '../served-platform.ts';

const { environment: good } = servePlatform();

async function serve(options: ServeOptions): Promise<MockPlatformServer> {
  const other = await serveMockPlatform(options);
  onTestFinished(() => other.close());
  return other;
}

describe('the clock', () => {
  test.each([
    [-180, 'warning', '3 min ahead of'],
    [180, 'warning', '3 min behind'],
    [5, 'ok', '5 s behind'],
    [3 * 86_400, 'failed', '3 days behind'],
  ])('of a platform that is wrong by %i s is reported', async (seconds, status, detail) => {
    // Both clocks are stopped: the offset would otherwise include the duration of the request. They are stopped in the
    // middle of a second, because the Date header omits the fraction.
    const now = Math.floor(Date.now() / 1000) * 1000 + 500;
    const other = await serve({ now: () => now + seconds * 1000 });

    const { of } = await findings(
      { ...(await environmentOf(other)), TEST_NOW: String(now) },
      './preload/fixed-clock.ts',
    );

    expect(of['clock']).toMatchObject({ status, detail: expect.stringContaining(`${detail} the platform's`) });
  });

  test('is in sync if a slow response has the time of its end', async () => {
    await using server = await new FaultServer((response) => {
      setTimeout(() => json(response, 200, { networks: [] }), 5_000);
    }).listen();

    const { of } = await findings({ ...good(), CORRIDOR_BASE_URL: server.url });

    expect(of['clock']).toMatchObject({ status: 'ok', detail: "in sync with the platform's" });
  });

  test('cannot be measured if the platform sends no Date header', async () => {
    await using server = await new FaultServer((response) => {
      response.sendDate = false;
      json(response, 200, { networks: [] });
    }).listen();

    const { of } = await findings({ ...good(), CORRIDOR_BASE_URL: server.url });

    expect(of['clock']).toMatchObject({ status: 'warning', detail: expect.stringContaining('no Date header') });
  });
});
