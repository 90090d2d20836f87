import { serveMockPlatform, type MockPlatformServer } from 'corridor-sdk/mock/node';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { startBrowser, type StartedBrowser } from './chromium.ts';

const controlToken = 'a-token-of-this-test';
let browser: StartedBrowser;
beforeAll(async () => {
  browser = await startBrowser({ permissions: ['clipboard-read', 'clipboard-write'] });
});
afterAll(() => browser.close());

/** Serves a platform that requires its control token, because it does not listen on loopback only. */
async function serve(): Promise<MockPlatformServer & { readonly consoleUrl: string }> {
  const served = await serveMockPlatform({
    control: true,
    host: '0.0.0.0',
    allowedHosts: ['mock.localhost'],
    controlToken,
  });
  onTestFinished(() => served.close());
  // Chromium resolves every name that ends with .localhost to this machine.
  return { ...served, consoleUrl: `http://mock.localhost:${new URL(served.url).port}/__mock/console` };
}

test('the token in the fragment opens the console, leaves the address bar, and is not readable by scripts', async () => {
  const { consoleUrl } = await serve();
  const page = await browser.context.newPage();
  onTestFinished(() => page.close());
  const urls: string[] = [];
  page.on('request', (request) => urls.push(request.url()));

  await page.goto(`${consoleUrl}#token=${controlToken}`);
  await page.getByText('No requests yet.').waitFor();

  expect(page.url()).toBe(consoleUrl);
  expect(urls.filter((url) => url.includes(controlToken))).toEqual([]);
  expect(await page.evaluate(() => document.cookie)).toBe('');
  expect(await page.context().cookies(consoleUrl)).toMatchObject([{ httpOnly: true, sameSite: 'Strict' }]);
  await page.reload();
  await page.getByText('No requests yet.').waitFor();
});

test('without the token the console asks for it', async () => {
  const { consoleUrl } = await serve();
  await browser.context.clearCookies();
  const page = await browser.context.newPage();
  onTestFinished(() => page.close());
  await page.goto(consoleUrl);
  await page.getByLabel('Control token').fill('wrong-token-of-this-test');
  await page.getByRole('button', { name: 'Open the console' }).click();
  await page.getByText('the control token is not valid').waitFor();
  await page.getByLabel('Control token').fill(controlToken);
  await page.getByRole('button', { name: 'Open the console' }).click();
  await page.getByText('No requests yet.').waitFor();
});

test('signing in connects to the events, and ends the attempts to connect without a token', async () => {
  const { consoleUrl, platform } = await serve();
  await browser.context.clearCookies();
  const page = await browser.context.newPage();
  onTestFinished(() => page.close());
  const streams: string[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('/__mock/events')) streams.push(request.url());
  });
  await page.clock.install();
  const failed = page.waitForEvent('response', (response) => response.url().endsWith('/__mock/events'));
  await page.goto(consoleUrl);
  expect((await failed).status()).toBe(401);
  await page.getByLabel('Control token').fill(controlToken);
  await page.getByRole('button', { name: 'Open the console' }).click();
  await page.getByText('No requests yet.').waitFor();
  await page.getByText('Live', { exact: true }).waitFor();
  const connected = streams.length;
  // Longer than the longest delay between two attempts.
  await page.clock.runFor(20_000);
  await page.evaluate(() => fetch('/__mock/health').then((response) => response.text()));

  expect(streams).toHaveLength(connected);
  await fetch(`${platform.baseUrl}/api/v1/customers/number-1`);
  await page.getByText('1 request', { exact: true }).waitFor();
});

test('credentials and receipts have the host name of the page', async () => {
  const { consoleUrl, platform } = await serve();
  const { origin } = new URL(consoleUrl);
  const { id } = platform.payments.add({ status: 'COMPLETED' });
  const page = await browser.context.newPage();
  onTestFinished(() => page.close());

  await page.goto(`${consoleUrl}#token=${controlToken}`);
  await page.getByText('No requests yet.').waitFor();
  await page.goto(`${consoleUrl}#/payments/${id}`);
  const link = page.getByRole('link', { name: 'Download' });
  const url = await link.evaluate((element) => (element as unknown as { readonly href: string }).href);
  expect(new URL(url).origin).toBe(origin);
  const response = await fetch(url.replace(origin, platform.baseUrl));
  expect(response.headers.get('content-type')).toBe('application/pdf');

  await page.goto(`${consoleUrl}#/state`);
  await page.getByRole('button', { name: /^\.env/ }).click();
  await page.getByText('Copied', { exact: true }).waitFor();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain(`CORRIDOR_BASE_URL=${origin}\n`);
});
