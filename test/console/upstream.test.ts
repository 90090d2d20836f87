import { Corridor } from 'corridor-sdk';
import { serveMockPlatform, type MockPlatformServer } from 'corridor-sdk/mock/node';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { startBrowser, type StartedBrowser } from './chromium.ts';
import { openConsole, type OpenedConsole } from './fixture.ts';

let browser: StartedBrowser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());

/** Opens the console in front of a mock that plays the real platform. */
async function openInFront(): Promise<OpenedConsole & { readonly real: MockPlatformServer }> {
  const real = await serveMockPlatform({ errorBody: 'nested' });
  onTestFinished(() => real.close());
  const opened = await openConsole(browser, { upstream: real.url });
  const corridor = new Corridor({ ...real.clientOptions(), baseUrl: opened.served.url, maxRetries: 0 });
  return { ...opened, corridor, real };
}

test('says what to set before the first request, and shows only what is about a real platform', async () => {
  const { page, served, real } = await openInFront();

  await page.getByText('No requests yet.').waitFor();

  await page.getByText(`set CORRIDOR_BASE_URL to ${served.url}.`).waitFor();
  expect(await page.locator('.nav-link').allInnerTexts()).toEqual(['Requests', 'Faults', 'Assumptions', 'Help']);
  await page.locator('.brand').getByText(new URL(real.url).host).waitFor();
  expect(await page.locator('.clock-chip').count()).toBe(0);
});

test('shows an exchange with its claims, which are not verified, and what the contract says', async () => {
  const { page, corridor, real, served } = await openInFront();
  real.platform.respond('customers.list', { patch: { items: { 0: { fax: '1' } } }, times: 1 });
  const { id } = real.platform.customers.add();
  await corridor.customers.list();
  await page.getByRole('link', { name: 'customers.list' }).click();

  const details = page.getByLabel('Details');
  await details.getByText('Token claims, not verified').waitFor();
  await details.getByText('items[0].fax').waitFor();
  await details.getByText(id).first().waitFor();
  expect(await details.getByRole('link', { name: id }).count()).toBe(0);
  expect(await details.getByText('Copy as curl').count()).toBe(0);
  expect(await page.content()).not.toContain(real.clientOptions().apiKey);
  expect(served.platform.requests).toHaveLength(1);
});

test('loses the response to the next create with one click', async () => {
  const { page, corridor, real, show } = await openInFront();
  await show('faults');
  expect(await page.getByText('Create it late').count()).toBe(0);
  await page.getByRole('button', { name: 'Lose the response to the next create' }).click();
  await page.getByText('reset-after-commit').first().waitFor();

  const order = real.platform.payments.createParams();
  await corridor.payments.createOnce(order, { idempotencyKey: 'order-4711' });

  expect(real.platform.payments.all()).toHaveLength(1);
  await show('requests');
  await page.getByRole('link', { name: 'payments.create' }).click();
  const together = page.getByRole('region', { name: 'Requests of this create' });
  await together.getByRole('link', { name: 'payments.list' }).waitFor();
});

test('shows which assumptions the traffic contradicted, with the exchange', async () => {
  const { page, corridor, show } = await openInFront();
  await corridor.customers.get('cus_unknown').catch(() => undefined);
  await show('assumptions');

  const row = page.getByRole('row', { name: 'the shape and codes of errors' });
  await row.getByText('contradicted', { exact: true }).waitFor();
  await page.getByRole('row', { name: 'whether responses carry a request id' }).getByText('confirmed').waitFor();
  await page.getByRole('row', { name: 'the order of lists' }).getByText('not seen').waitFor();
  await row.getByRole('link').click();

  await page.getByLabel('Details').getByText('GET /api/v1/customers/cus_unknown').waitFor();
});
