import axe from 'axe-core';
import type { Page } from 'playwright-core';
import type { MockPlatformServer } from 'corridor-sdk/mock/node';
import { Corridor } from 'corridor-sdk';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startBrowser, type StartedBrowser } from './chromium.ts';
import { openConsole } from './fixture.ts';

let browser: StartedBrowser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());

/** Fills a platform so that each screen has something to show. */
async function fillPlatform(served: MockPlatformServer): Promise<void> {
  const { platform } = served;
  platform.populate({ customers: 6, payments: 40 });
  const payment = platform.payments.add({ id: 'pay_scheduled' });
  platform.payments.scheduleTransitions(payment.id, ['APPROVED', 'PROCESSING', 'COMPLETED'], { every: { hours: 1 } });
  platform.persons.add({ id: 'per_matched' });
  platform.customers.add({ id: 'cus_shown' });
  platform.beneficiaries.add({ id: 'ben_shown' });
  platform.quotes.add({ id: 'quo_shown' });
  platform.documents.add({ id: 'doc_shown' });
  platform.tickets.add({ id: 'tic_shown', replies: [{ bodyText: 'Where is the payment?' }] });
  platform.faults.next('payments.create', { kind: 'reset-after-commit' });
  const corridor = new Corridor({ ...served.clientOptions(), consistencyWindow: 0 });
  await corridor.payments.createOnce(platform.payments.createParams());
  await expect(corridor.customers.get('nobody')).rejects.toThrow();
  platform.faults.rate('*', 0.2, { kind: 'status', status: 503 });
}

/** Each screen, with a text that appears when its records are loaded. */
const screens = [
  ['requests', 'not_found'],
  ['board', 'Pending review'],
  ['payments', '42 payments'],
  ['payments/pay_scheduled', 'Payment created'],
  ['quotes/quo_shown', 'Platform fee'],
  ['customers/cus_shown', 'registrationNumber'],
  ['beneficiaries/ben_shown', 'bankName'],
  ['persons/per_matched', 'Clear match'],
  ['tickets/tic_shown', 'Where is the payment?'],
  ['documents/doc_shown', 'contentType'],
  ['clock', 'expire'],
  ['faults', '20 % of requests'],
  ['assumptions', 'whether a create is idempotent'],
  ['state', 'Add organization'],
  ['help', 'all calls'],
] as const;

interface Finding {
  readonly id: string;
  readonly impact: string;
  readonly html: string;
}

async function accessibilityFindings(page: Page): Promise<Finding[]> {
  await page.evaluate(axe.source);
  return page.evaluate(async () => {
    const { violations } = await (globalThis as unknown as { readonly axe: typeof axe }).axe.run(document);
    return violations.map(({ id, impact, nodes }) => ({ id, impact: String(impact), html: nodes[0]?.html ?? '' }));
  });
}

const overflow = (page: Page): Promise<number> =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

describe('every screen', () => {
  test.each(['light', 'dark'] as const)(
    'shows its records, fits from 360 to 1440 pixels and is accessible, in the %s theme',
    async (theme) => {
      const { page, served, show } = await openConsole(browser, { prepare: fillPlatform });
      await page.emulateMedia({ colorScheme: theme });
      const [request] = served.platform.requests.to('payments.create');
      const shown = [...screens, [`requests/${request?.requestId}`, 'connection reset'] as const];
      for (const [route, text] of shown) {
        await show(route);
        // The options of filters are not visible.
        await page.getByText(text).filter({ visible: true }).first().waitFor();
        for (const width of [1440, 1024, 360]) {
          await page.setViewportSize({ width, height: 800 });
          expect({ route, width, overflow: await overflow(page) }).toEqual({ route, width, overflow: 0 });
          expect({ route, width, findings: await accessibilityFindings(page) }).toEqual({ route, width, findings: [] });
        }
      }
    },
  );
});

test('the theme is that of the system', async () => {
  const { page } = await openConsole(browser);
  const background = (): Promise<unknown> => page.evaluate('getComputedStyle(document.body).backgroundColor');
  await page.emulateMedia({ colorScheme: 'light' });
  expect(await background()).toBe('rgb(246, 247, 249)');
  await page.emulateMedia({ colorScheme: 'dark' });
  expect(await background()).toBe('rgb(13, 17, 23)');
});

test('a long list counts all records, loads the others on demand, and shows any of them by its id', async () => {
  const { page, show } = await openConsole(browser, {
    prepare({ platform }) {
      platform.quotes.add({ id: 'quo_oldest' });
      platform.quotes.addMany(500);
    },
  });
  await show('quotes/quo_oldest');
  await page.getByText('Platform fee', { exact: true }).waitFor();
  await page.getByText('501 quotes', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Show more (301)' }).click();
  await page.getByRole('button', { name: 'Show more' }).waitFor({ state: 'detached' });
});

test('a change before the page has subscribed to it is shown', async () => {
  const { page, show } = await openConsole(browser, {
    open: (opened) => opened.clock.install().then(() => opened.clock.pauseAt(Date.now() + 1_000)),
  });
  // Components subscribe after a frame, which does not come while the clock of the page is stopped.
  await show('faults');
  await page.getByRole('heading', { name: 'Requests', level: 1 }).waitFor();
  await page.clock.runFor(1_000);
  await page.getByRole('heading', { name: 'Faults', level: 1 }).waitFor();
});
