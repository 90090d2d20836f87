import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { serveMockPlatform } from 'corridor-sdk/mock/node';
import { expect, onTestFinished, test } from 'vitest';

async function fetchConsole(): Promise<Response> {
  const served = await serveMockPlatform({ control: true });
  onTestFinished(() => served.close());
  return fetch(`${served.url}/__mock/console`);
}

const maxBytes = 60_000;

test('the console is one page of less than 60 kB, compressed', async () => {
  const html = await (await fetchConsole()).text();

  expect(html).toMatch(/^<!doctype html>/);
  expect(html).not.toMatch(/<(?:script|link|img)[^>]+(?:src|href)="(?!data:)/);
  expect(gzipSync(html, { level: 9 }).length).toBeLessThan(maxBytes);
});

test('its policy allows only its own script and style', async () => {
  const response = await fetchConsole();
  const html = await response.text();
  const hashOf = (tag: string): string => {
    const [, text = ''] = new RegExp(`<${tag}>([^]*)</${tag}>`).exec(html) ?? [];
    return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
  };

  expect(response.headers.get('content-security-policy')?.split('; ')).toEqual(
    expect.arrayContaining([
      "default-src 'none'",
      `script-src ${hashOf('script')}`,
      `style-src ${hashOf('style')}`,
      "connect-src 'self'",
      "frame-ancestors 'none'",
    ]),
  );
});

test('without the control API there is no console', async () => {
  const served = await serveMockPlatform();
  onTestFinished(() => served.close());
  expect((await fetch(`${served.url}/__mock/console`)).status).not.toBe(200);
});
