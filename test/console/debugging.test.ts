import { readFile, writeFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Corridor, unknownValue } from 'corridor-sdk';
import { snapshotFromLines } from 'corridor-sdk/mock';
import { serveMockPlatform } from 'corridor-sdk/mock/node';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { startBrowser, type StartedBrowser } from './chromium.ts';
import { openConsole } from './fixture.ts';

let browser: StartedBrowser;
beforeAll(async () => {
  browser = await startBrowser({ permissions: ['clipboard-read', 'clipboard-write'] });
});
afterAll(() => browser.close());

test('an outage keeps the data under a banner, stops the clock, and ends by itself', async () => {
  // Browsers print every failed request.
  const { page, served, corridor, show } = await openConsole(browser, { allowed: /ERR_|Failed to load/ });
  await corridor.customers.list();
  await page.getByRole('link', { name: 'customers.list' }).waitFor();

  await served.close();
  await page.locator('.outage').getByText('The server does not respond.').waitFor();
  const clock = await page.locator('.clock-chip').textContent();
  await page.getByRole('link', { name: 'customers.list' }).waitFor();
  await page.getByRole('link', { name: 'Payments', exact: true }).click();
  await page.getByRole('heading', { name: 'Payments' }).waitFor();
  expect(await page.getByText('No payments yet').count()).toBe(0);
  await page.getByRole('link', { name: 'Requests', exact: true }).click();
  await page.getByRole('link', { name: 'customers.list' }).waitFor();
  expect(await page.locator('.clock-chip').textContent()).toBe(clock);

  const again = await serveMockPlatform({ control: true, port: Number(new URL(served.url).port) });
  onTestFinished(() => again.close());
  await page.locator('.outage').waitFor({ state: 'detached' });
  await show('requests');
  await page.getByText('No requests yet.').waitFor();
});

test('the filters of requests are in the URL, and a reload keeps them', async () => {
  const { page, served, corridor } = await openConsole(browser, {
    prepare: ({ platform }) => platform.organization({ name: 'Acme' }),
  });
  const acme = served.platform.organizations[1];
  await corridor.payments.list({ status: 'APPROVED' });
  await corridor.payments.list();
  await corridor.customers.get('nobody').catch(() => undefined);
  await new Corridor(served.clientOptions(acme)).payments.list({ limit: 3 });
  await page.getByText('4 requests', { exact: true }).waitFor();

  await page.getByLabel('Organization').selectOption('Acme');
  await page.getByText('1 of 4 requests').waitFor();
  await page.reload();
  await page.getByText('1 of 4 requests').waitFor();
  await page.getByLabel('Organization').selectOption('All organizations');
  await page.getByLabel('Filter requests').fill('status=approved');
  await page.getByText('1 of 4 requests').waitFor();
  await page.getByLabel('Filter requests').fill('');
  await page.getByLabel('Status', { exact: true }).selectOption({ label: '404 (1)' });
  await page.getByText('not_found', { exact: true }).waitFor();
  await page.getByText('1 of 4 requests').waitFor();
  await page.reload();
  await page.getByText('1 of 4 requests').waitFor();
  expect(new URL(page.url()).hash).toBe('#/requests?status=404');
});

test('the keys find, open and close a record', async () => {
  const { page, served, show } = await openConsole(browser);
  served.platform.payments.add({ internalReference: 'ORDER-1' });
  served.platform.payments.add({ internalReference: 'ORDER-2' });
  await show('payments');
  await page.getByText('2 payments', { exact: true }).waitFor();
  const panel = page.getByRole('region', { name: 'Fields' });
  await page.keyboard.press('j');
  await panel.getByText('ORDER-2', { exact: true }).waitFor();
  await page.keyboard.press('j');
  await panel.getByText('ORDER-1', { exact: true }).waitFor();
  await page.keyboard.press('k');
  await panel.getByText('ORDER-2', { exact: true }).waitFor();
  await page.keyboard.press('Escape');
  await page.locator('.panel').waitFor({ state: 'detached' });
  await page.keyboard.press('/');
  await page.keyboard.type('order-1');
  await page.getByText('1 payment', { exact: true }).waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('j');
  await panel.getByText('ORDER-1', { exact: true }).waitFor();
});

test('the key ? shows all keys, the version and the seed', async () => {
  const { page } = await openConsole(browser, { seed: 4711 });
  await page.keyboard.press('?');
  await page.getByRole('heading', { name: 'Help', level: 1 }).waitFor();
  await page.getByText('4711', { exact: true }).waitFor();
  await page.getByText(`corridor-sdk ${packageJson.version}`).waitFor();
});

test('the first link of the page leads to the content', async () => {
  const { page } = await openConsole(browser);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  expect(await page.evaluate('document.activeElement.id')).toBe('main');
  await page.getByRole('heading', { name: 'Requests', level: 1 }).waitFor();
});

test.each(['.env', 'curl', 'TypeScript'])(
  'before the first request, the credentials are copied as %s',
  async (format) => {
    const { page, served } = await openConsole(browser);
    await page.getByText('No requests yet.').waitFor();
    await page.getByRole('button', { name: `${format}: copy` }).click();
    await page.getByText('Copied', { exact: true }).waitFor();
    const text = await page.evaluate(() => navigator.clipboard.readText());
    expect(text).toContain(served.clientOptions().apiKey);
  },
);

describe('an idle page', () => {
  test('receives no list that did not change, and shows a record that a test adds in its own process', async () => {
    const { page, served, show } = await openConsole(browser, {
      open: (opened) => opened.clock.install(),
      prepare: ({ platform }) => platform.populate({ customers: 5, payments: 300 }),
    });
    await show('payments');
    await page.getByText('300 payments', { exact: true }).waitFor();
    const received: (readonly [call: string, status: number])[] = [];
    page.on('response', (response) =>
      received.push([new URL(response.url()).pathname.replace('/__mock/', ''), response.status()]),
    );
    for (let count = 0; count < 3; count += 1) {
      const polled = page.waitForResponse((response) => response.url().includes('payments.search'));
      await page.clock.runFor(20_000);
      await polled;
    }
    const lists = received.filter(([call]) => call !== 'clock.now');
    expect(lists.length).toBeGreaterThan(2);
    expect(lists.filter(([, status]) => status !== 304)).toEqual([]);

    served.platform.payments.add();
    await page.clock.runFor(20_000);
    await page.getByText('301 payments', { exact: true }).waitFor();
  });
});

test('the clock groups what is due', async () => {
  const { page, show } = await openConsole(browser, {
    prepare: ({ platform: { payments } }) => {
      for (const { id } of payments.addMany(1_200, () => ({ status: 'PROCESSING' })))
        payments.scheduleTransitions(id, ['COMPLETED'], { every: { hours: 1 } });
    },
  });
  await show('clock');
  await page.locator('tbody tr').getByText('1,200 payments').waitFor();
  expect(await page.locator('tbody tr').first().innerText()).toMatch(/^1,200 payments to\s+Completed/);
});

test('the violations of the contract in a response that a fault replaced are shown', async () => {
  const { page, served } = await openConsole(browser);
  const { id } = served.platform.customers.add({ companyName: 'One' });
  served.platform.faults.next('customers.get', { kind: 'response', patch: { companyName: 7 } });
  await expect(new Corridor(served.clientOptions()).customers.get(id)).rejects.toThrow('companyName');
  await page.getByRole('link', { name: 'customers.get' }).click();
  await page.getByRole('region', { name: 'Invalid fields of the response' }).getByText('companyName').waitFor();
});

test('a snapshot is downloaded, and restores the state', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'corridor-snapshot-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  // Browsers print every error response.
  const { page, served, show } = await openConsole(browser, { allowed: /status of 400/ });
  served.platform.customers.add({ companyName: 'Kept' });
  await show('state');
  const downloaded = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download a snapshot' }).click();
  const path = join(folder, 'snapshot.jsonl');
  const download = await downloaded;
  expect(download.suggestedFilename()).toBe('corridor-mock.snapshot.jsonl');
  await download.saveAs(path);
  const snapshot = await snapshotFromLines((await readFile(path, 'utf8')).trimEnd().split('\n'));
  expect(snapshot).toEqual(served.platform.snapshot());
  served.platform.reset();

  await page.getByLabel('Restore a snapshot').setInputFiles(path);
  await page.getByText('Restored snapshot.jsonl.').waitFor();
  expect(served.platform.customers.all()).toMatchObject([{ companyName: 'Kept' }]);
  await writeFile(path, 'no snapshot');
  await page.getByLabel('Restore a snapshot').setInputFiles(path);
  await page.getByText('these are not the lines of a snapshot').waitFor();
  expect(served.platform.customers.all()).toMatchObject([{ companyName: 'Kept' }]);
});

test('the board has a column for a status that this version does not know', async () => {
  const { page, served, show } = await openConsole(browser);
  served.platform.payments.add({ id: 'pay_held', status: unknownValue('ON_HOLD'), amount: '7.00' });
  await show('board');
  await page.getByRole('region', { name: 'ON_HOLD' }).getByText('7.00').click();
  await page.getByText('pay_held').first().waitFor();
});

test('an amount of 30 digits is shown whole', async () => {
  const amount = '123456789012345678901234567890.12';
  const { page, served, show } = await openConsole(browser);
  served.platform.payments.add({ id: 'pay_long', amount, currencyCode: 'USD' });
  for (const route of ['payments', 'payments/pay_long', 'board']) {
    await show(route);
    const shown = page.getByText('123,456,789,012,345,678,901,234,567,890.12').first();
    await shown.waitFor();
    const hidden = await shown.evaluate((element) => {
      const { scrollWidth, clientWidth } = element as unknown as Readonly<Record<string, number>>;
      return Number(scrollWidth) - Number(clientWidth);
    });
    expect({ route, hidden: hidden > 1 }).toEqual({ route, hidden: false });
  }
});
