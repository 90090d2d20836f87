import { Corridor, PaymentOutcomeUnknownError } from 'corridor-sdk';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startBrowser, type StartedBrowser } from './chromium.js';
import { openConsole } from './fixture.js';

let browser: StartedBrowser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());

/** Waits until the page shows a number of requests, and returns the descriptions of its stories, newest first. */
async function storiesAfter(page: Page, count: number): Promise<string[]> {
  await page.getByText(`${count} requests`, { exact: true }).waitFor();
  return page
    .getByRole('button', { name: 'Requests of this creation' })
    .evaluateAll((buttons) =>
      buttons.map((button) => (button as unknown as { readonly ariaLabel: string }).ariaLabel.split(': ')[1] ?? ''),
    );
}

test('the attempts and look-ups of one createOnce are one story', async () => {
  const { page, served } = await openConsole(browser);
  served.platform.faults.next('payments.create', { kind: 'reset-after-commit' });
  const corridor = new Corridor({ ...served.clientOptions(), consistencyWindow: 0 });
  await corridor.payments.createOnce(served.platform.payments.createParams());

  await page.getByRole('link', { name: 'payments.createOnce' }).waitFor();
  expect(await page.getByRole('link', { name: 'payments.list' }).count()).toBe(0);
  await page.getByRole('button', { name: 'Requests of this creation: 1 attempt, 1 look-up' }).click();
  await page.getByRole('link', { name: 'payments.list' }).waitFor();
  await page.getByRole('link', { name: 'payments.create', exact: true }).waitFor();
});

test('a story ends with its last look-up: later lists by time of creation do not belong to it', async () => {
  const { page, served } = await openConsole(browser);
  const { platform } = served;
  platform.configure({ listLag: { seconds: 2 } });
  platform.faults.next('payments.create', { kind: 'reset-after-commit' });
  const corridor = new Corridor(platform.clientOptions());
  await corridor.payments.createOnce(platform.payments.createParams());
  const { length } = platform.requests.to('payments.list');
  expect(length).toBeGreaterThan(2);

  const hourBefore = new Date(platform.clock.now() - 3_600_000).toISOString();
  for (const createdFrom of ['2026-01-01T00:00:00Z', hourBefore, hourBefore])
    await corridor.payments.list({ createdFrom, limit: 100 });

  expect(await storiesAfter(page, 1 + length + 3)).toEqual([`1 attempt, ${length} look-ups`]);
});

test('look-ups are recognized in a dialect with another name for createdFrom', async () => {
  const dialect = { filterNames: { createdFrom: 'created_after' } };
  const { page, served } = await openConsole(browser, { dialect });
  served.platform.faults.next('payments.create', { kind: 'reset-after-commit' });
  const corridor = new Corridor({ ...served.platform.clientOptions(), dialect });
  await corridor.payments.createOnce(served.platform.payments.createParams());

  expect(await storiesAfter(page, 2)).toEqual(['1 attempt, 1 look-up']);
});

test('two creations that are lost at the same time have their own look-ups', async () => {
  const { page, served } = await openConsole(browser);
  const { platform } = served;
  platform.clock.freeze();
  platform.faults.next('payments.create', { kind: 'reset-after-commit' }, 2);
  const corridor = new Corridor(platform.clientOptions());
  await Promise.all([1, 2].map(() => corridor.payments.createOnce(platform.payments.createParams())));

  expect(await storiesAfter(page, 4)).toEqual(['1 attempt, 1 look-up', '1 attempt, 1 look-up']);
});

test('a later search for a payment joins its story, although another creation was lost in between', async () => {
  const { page, served } = await openConsole(browser);
  const { platform } = served;
  platform.configure({ listLag: { days: 1 } });
  platform.faults.always('payments.create', { kind: 'reset-after-commit' });
  const corridor = new Corridor({ ...platform.clientOptions(), consistencyWindow: 0 });
  const lose = async (): Promise<PaymentOutcomeUnknownError> => {
    const error: unknown = await corridor.payments.createOnce(platform.payments.createParams()).catch((each) => each);
    if (error instanceof PaymentOutcomeUnknownError) return error;
    throw error;
  };
  const { intent } = await lose();
  platform.clock.advance({ minutes: 10 });
  await lose();
  platform.clock.advance({ minutes: 10 });
  await corridor.payments.reconcile(intent);

  await page.getByText(`1 attempt, 2 look-ups · quote ${intent.request.paymentQuoteId}`).waitFor();
  expect(await storiesAfter(page, 5)).toEqual(['1 attempt, 2 look-ups', '1 attempt, 1 look-up']);
});
