import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { Corridor } from 'corridor-sdk';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startBrowser, type StartedBrowser } from './chromium.ts';
import { openConsole } from './fixture.ts';

const recordKinds = ['payments', 'quotes', 'customers', 'beneficiaries', 'persons', 'documents', 'tickets'] as const;

let browser: StartedBrowser;
/** Replaces the JSON in the open dialog and saves it. */
async function save(page: Page, value: object): Promise<void> {
  await page.locator('textarea').fill(JSON.stringify(value));
  await page.getByRole('button', { name: 'Save' }).click();
}

beforeAll(async () => {
  browser = await startBrowser({ permissions: ['clipboard-read', 'clipboard-write'] });
});
afterAll(() => browser.close());

describe('faults', () => {
  test('a fault that is planned as JSON is met by a client, and links to the request', async () => {
    const { page, corridor, show } = await openConsole(browser);
    await show('faults');
    await page.getByRole('button', { name: 'Plan a fault' }).click();
    await page.getByLabel('Example').selectOption({ index: 1 });
    expect(JSON.parse(await page.locator('textarea').inputValue())).toMatchObject({ fault: { kind: 'rate-limit' } });
    await save(page, { endpoint: 'customers.list', fault: { kind: 'status', status: 503 }, times: 1 });
    await page.getByText('0 hits').waitFor();

    await expect(corridor.customers.list()).rejects.toMatchObject({ status: 503 });
    await page.getByText('1 hit', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'req_' }).click();
    await page.locator('.panel').getByText('customers.list').waitFor();
    await page.locator('.panel').getByRole('link', { name: 'status', exact: true }).click();
    await page.getByRole('heading', { name: 'Faults', level: 1 }).waitFor();
  });

  test('a preset is met by a client, and a fault can be removed', async () => {
    const { page, served, show } = await openConsole(browser);
    await show('faults');
    await page.getByRole('button', { name: 'Lose the response to the next create' }).click();
    await page.getByText('reset-after-commit').first().waitFor();
    const corridor = new Corridor({ ...served.clientOptions(), consistencyWindow: 0 });
    const result = await corridor.payments.createOnce(served.platform.payments.createParams());
    expect(result).toMatchObject({ recovered: true });

    await page.getByRole('button', { name: 'Outage' }).click();
    await page.getByRole('button', { name: 'Remove status of *' }).click();
    await page.getByText('No faults are planned').waitFor();
    await corridor.crypto.networks();
  });

  test('the preset of a rate limit lasts a minute of the clock', async () => {
    const { page, served, corridor, show } = await openConsole(browser);
    served.platform.clock.freeze();
    await show('faults');
    await page.getByRole('button', { name: '429 for a minute' }).click();
    await page.getByText('every request, for 1 min more').waitFor();
    await expect(corridor.customers.list()).rejects.toMatchObject({ status: 429, retryAfterMs: 60_000 });
    await expect(corridor.customers.list()).rejects.toMatchObject({ status: 429, retryAfterMs: 60_000 });
    served.platform.clock.advance({ minutes: 1 });
    await corridor.customers.list();
    await page.getByText('No faults are planned').waitFor();
    await page.getByText('2 hits').waitFor();
  });
});

test('the clock shows what is due in all organizations, with links to their records', async () => {
  const id = 'pay_due';
  const { page, show } = await openConsole(browser, {
    prepare: ({ platform }) => {
      const { payments } = platform.organization({ name: 'Acme' });
      payments.scheduleTransitions(payments.add({ id }).id, ['APPROVED'], { every: { hours: 1 } });
    },
  });
  await show('clock');
  await page.locator('td').getByText('Acme').waitFor();
  await page.getByRole('link', { name: id }).click();
  await page.getByText('Payment created').waitFor();
  await page.getByLabel('Organization').locator('option:checked', { hasText: 'Acme' }).waitFor({ state: 'attached' });
});

test('a page whose organization was removed shows the first one', async () => {
  // Browsers print every error response.
  const { page, served, show } = await openConsole(browser, { allowed: /status of 404/ });
  const acme = served.platform.organization({ name: 'Acme' });
  acme.customers.add({ companyName: 'Customer of Acme' });
  served.platform.customers.add({ companyName: 'Customer of the first' });
  await show('customers');
  await page.getByLabel('Organization').selectOption('Acme');
  await page.getByText('Customer of Acme').waitFor();
  served.platform.removeOrganization(acme.id);
  await page.getByText('Customer of the first').waitFor();
});

test('the organization is in the URL, so that a reload and the way back show the same record', async () => {
  const { page, served, show } = await openConsole(browser);
  const acme = served.platform.organization({ name: 'Acme' });
  const { id } = acme.payments.add({ internalReference: 'ORDER-OF-ACME' });
  await show('payments');
  await page.getByLabel('Organization').selectOption('Acme');
  await page.locator('.list tbody a').click();
  await page.getByRole('region', { name: 'Fields' }).getByText('ORDER-OF-ACME').waitFor();
  await page.reload();
  await page.getByRole('region', { name: 'Fields' }).getByText('ORDER-OF-ACME').waitFor();
  expect(new URL(page.url()).hash).toBe(`#/payments/${id}?organization=${acme.id}`);
  await page.goBack();
  await page.getByText('1 payment', { exact: true }).waitFor();
  await page.goBack();
  await page.getByText('No payments yet.').waitFor();
});

test('an unknown page says so', async () => {
  const { page, show } = await openConsole(browser);
  await show('refunds');
  await page.getByRole('heading', { name: 'Unknown page' }).waitFor();
});

test('a link with a damaged id shows the list', async () => {
  const { page, show } = await openConsole(browser);
  await show('payments/%');
  await page.reload();
  await page.getByRole('heading', { name: 'Payments' }).waitFor();
});

describe('payments', () => {
  test('the buttons are the allowed transitions', async () => {
    const { page, served, show } = await openConsole(browser);
    const { id } = served.platform.payments.add({ status: 'PROCESSING' });
    await show(`payments/${id}`);
    await page.getByRole('button', { name: 'Completed', exact: true }).waitFor();
    expect(await page.locator('.panel-actions').getByRole('button').allTextContents()).toEqual([
      'Completed',
      'Returned',
      'Schedule',
      'Edit',
      'Remove',
    ]);
    await page.getByRole('button', { name: 'Completed', exact: true }).click();
    await page.locator('.panel-title').getByText('Completed').waitFor();
    expect(served.platform.payments.get(id)).toMatchObject({ status: 'COMPLETED' });
  });

  test('the timeline shows a schedule that was canceled', async () => {
    const { page, served, show } = await openConsole(browser);
    const { payments } = served.platform;
    const { id } = payments.add();
    payments.scheduleTransitions(id, ['APPROVED', 'PROCESSING'], { every: { hours: 1 } });
    payments.transition(id, 'REJECTED');
    await show(`payments/${id}`);
    await page.getByText('Schedule canceled').waitFor();
    expect(await page.getByText(/^Scheduled /).count()).toBe(0);
    await show('clock');
    await page.getByText('Quote expires').or(page.getByText('Nothing is scheduled.')).first().waitFor();
    expect(await page.getByText(id).count()).toBe(0);
  });

  test('the way to COMPLETED is scheduled, and the clock leads there event by event', async () => {
    const { page, served, show } = await openConsole(browser);
    const { id } = served.platform.payments.add();
    await show(`payments/${id}`);
    await page.getByRole('button', { name: 'Schedule', exact: true }).click();
    expect(JSON.parse(await page.locator('textarea').inputValue())).toMatchObject({
      statuses: ['APPROVED', 'PROCESSING', 'COMPLETED'],
    });
    await page.getByRole('button', { name: 'Save' }).click();
    await page
      .getByText(/^Scheduled /)
      .first()
      .waitFor();
    await show('clock');
    for (const [status, left] of [
      ['APPROVED', 'Processing'],
      ['PROCESSING', 'Completed'],
    ] as const) {
      await page.getByRole('button', { name: 'Advance to the next event' }).click();
      await page.locator('td').getByText(left, { exact: true }).waitFor();
      expect(served.platform.payments.get(id)).toMatchObject({ status });
    }
    await page.getByRole('button', { name: 'Advance to the next event' }).click();
    await page.getByText('Nothing is scheduled.').waitFor();
    expect(served.platform.payments.get(id)).toMatchObject({ status: 'COMPLETED' });
  });
});

describe('records', () => {
  test('are filtered and counted by the server, and the URL has the filters', async () => {
    const { page, served, show } = await openConsole(browser);
    served.platform.payments.addMany(3, () => ({ status: 'COMPLETED' }));
    const { id } = served.platform.payments.add({ internalReference: 'ORDER-77' });
    await show('payments');
    await page.getByText('4 payments', { exact: true }).waitFor();
    await page.getByLabel('Status').selectOption({ label: 'Completed (3)' });
    await page.getByText('3 payments', { exact: true }).waitFor();
    await page.getByLabel('Status').selectOption('');
    await page.getByLabel('Filter payments').fill('order-77');
    await page.getByText('1 payment', { exact: true }).waitFor();

    await page.reload();
    await page.getByText('1 payment', { exact: true }).waitFor();
    await page.locator('.list tbody a').click();
    await page.locator('.panel').getByText(id).first().waitFor();
    expect(new URL(page.url()).hash).toBe(`#/payments/${id}?text=order-77`);
  });

  test('of a customer are listed by the links of its details', async () => {
    const { page, served, show } = await openConsole(browser);
    const { customerId } = served.platform.documents.add();
    served.platform.documents.add();
    await show(`customers/${customerId}`);
    await page.getByRole('link', { name: 'documents', exact: true }).click();
    await page.getByText('1 document', { exact: true }).waitFor();
    await page.getByRole('link', { name: `of ${customerId}` }).waitFor();
    await page.getByRole('button', { name: 'Remove the filters' }).click();
    await page.getByText('2 documents', { exact: true }).waitFor();
  });

  test.each([
    ['payments', 'payment', { internalReference: 'ORDER-1' }, { internalReference: 'ORDER-2' }],
    ['quotes', 'quote', { paymentAmount: '41.00' }, { paymentAmount: '42.00' }],
    ['customers', 'customer', { companyName: 'One' }, { companyName: 'Two' }],
    ['beneficiaries', 'beneficiary', { companyName: 'One' }, { companyName: 'Two' }],
    [
      'persons',
      'person',
      { screening: { subject: { displayName: 'Ada One' } } },
      { screening: { subject: { displayName: 'Ada Two' } } },
    ],
    ['documents', 'document', { fileName: 'one.pdf' }, { fileName: 'two.pdf' }],
    ['tickets', 'ticket', { subject: 'One' }, { subject: 'Two' }],
  ])('of the kind %s are added, changed and removed', async (kind, noun, added, changed) => {
    const { page, show } = await openConsole(browser);
    // Wide enough for the column with the changed field beside the details.
    await page.setViewportSize({ width: 1920, height: 800 });
    // The last field names the record in the list.
    const [before = '', after = ''] = [added, changed].map(
      (record) => /"([^"]*)"\}*$/.exec(JSON.stringify(record))?.[1] ?? '',
    );
    await show(kind);
    await page.getByRole('button', { name: `Add ${noun}` }).click();
    await save(page, added);
    const row = (text: string): Locator => page.locator('.list tbody tr').filter({ hasText: text });
    await row(before).getByRole('link').first().click();
    await page.getByRole('button', { name: 'Edit' }).click();
    await save(page, changed);
    await row(after).waitFor();
    page.once('dialog', (dialog) => void dialog.accept());
    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    await row(after).waitFor({ state: 'detached' });
  });

  test.each(recordKinds)('%s are added as the example says', async (kind) => {
    const { page, served, show } = await openConsole(browser);
    await show(kind);
    await page.getByRole('button', { name: 'Add' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.locator('.list tbody tr').waitFor();
    expect(served.platform[kind].all()).toHaveLength(1);
  });

  test('that are not valid are marked at the line, and nothing is sent for text that is no JSON', async () => {
    // Browsers print every error response.
    const { page, served, show } = await openConsole(browser, { allowed: /status of 400/ });
    const { id } = served.platform.persons.add();
    await show(`persons/${id}`);
    await page.getByRole('button', { name: 'Edit' }).click();
    const area = page.getByRole('textbox', { name: 'Edit the person, as JSON' });
    const marked = async (): Promise<readonly [line: string, described: string]> => {
      await page.getByRole('dialog').getByRole('alert').getByText('Line').waitFor();
      expect(await area.getAttribute('aria-invalid')).toBe('true');
      const error = page.locator(`[id="${(await area.getAttribute('aria-describedby'))?.split(' ')[0]}"]`);
      const [message = '', line] = /^Line (\d+): .*/s.exec(await error.innerText()) ?? [];
      expect(await area.getAttribute('style')).toContain(`--line: ${line};`);
      return [(await area.inputValue()).split('\n')[Number(line) - 1] ?? '', message];
    };
    await area.fill('{\n  "id": 1\n  "customerId": 2\n}');
    await page.getByRole('button', { name: 'Save' }).click();
    expect(await marked()).toEqual(['  "customerId": 2', expect.stringContaining('must be JSON')]);

    await save(page, { screening: { openMatches: [{ features: [] }], subject: { displayName: 7 } } });
    await page.getByText('displayName must be').waitFor();
    expect(await marked()).toEqual(['      "displayName": 7', expect.stringContaining('screening')]);

    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.locator('.panel').waitFor();
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Edit');
  });

  test('keep what another one changed while they were edited', async () => {
    const { page, served, show } = await openConsole(browser);
    const { payments } = served.platform;
    const { id } = payments.add({ memo: 'One', internalReference: 'ORDER-1' });
    await show(`payments/${id}`);
    await page.getByRole('button', { name: 'Edit' }).click();
    payments.update(id, { internalReference: 'ORDER-2' });
    await page.locator('.panel').getByText('ORDER-2').first().waitFor({ state: 'attached' });
    const area = page.locator('textarea');
    await area.fill((await area.inputValue()).replace('"One"', '"Two"'));
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(payments.get(id)).toMatchObject({ memo: 'Two', internalReference: 'ORDER-2' });
  });
});

test('a clock that was moved looks moved on every screen', async () => {
  const { page, served } = await openConsole(browser);
  const clock = page.getByRole('link', { name: 'Clock of the mock' });
  await clock.waitFor();
  expect(await clock.innerText()).not.toMatch(/frozen|[+−]/);
  served.platform.clock.advance({ days: 2 });
  await clock.getByText('+2 d', { exact: true }).waitFor();
  served.platform.clock.freeze();
  await clock.getByText('frozen').waitFor();
});

test('the clock is frozen, advanced and resumed', async () => {
  const { page, served, show } = await openConsole(browser);
  await show('clock');
  await page.getByRole('button', { name: 'Freeze' }).click();
  await page.getByText('Frozen', { exact: true }).waitFor();
  const before = served.platform.clock.now();
  await page.getByRole('button', { name: '+1 day' }).click();
  await page.getByText('Advanced the clock by 1 day.').waitFor();
  expect(served.platform.clock.now() - before).toBe(86_400_000);
  await page.getByRole('button', { name: 'Resume' }).click();
  await page.getByText('Running', { exact: true }).waitFor();
});

test('a reviewer clears a match', async () => {
  const { page, served, show } = await openConsole(browser);
  const { id } = served.platform.persons.add();
  await show(`persons/${id}`);
  await page.getByLabel('Reason').fill('Another person');
  await page.getByRole('button', { name: 'Clear match' }).click();
  await page.getByText('No open matches.').waitFor();
  expect(served.platform.persons.get(id)?.screening.previouslyCleared).toContainEqual(
    expect.objectContaining({ reason: 'Another person' }),
  );
});

test('the platform replies to a ticket', async () => {
  const { page, served, show } = await openConsole(browser);
  const { id } = served.platform.tickets.add();
  await show(`tickets/${id}`);
  await page.getByLabel('Reply as the platform').fill('It arrives tomorrow.');
  await page.getByRole('button', { name: 'Reply', exact: true }).click();
  await page.getByRole('cell').getByText('It arrives tomorrow.').waitFor();
  expect(served.platform.tickets.get(id)?.replies).toHaveLength(1);
});

test('options are set as JSON, those that differ come first, and one that is removed has its default', async () => {
  // Browsers print every error response.
  const { page, served, show } = await openConsole(browser, { allowed: /status of 400/ });
  served.platform.configure({ quoteLifetime: 60 });
  await show('assumptions');
  const first = page.locator('tbody tr').first();
  await first.getByText('default: 900 s').waitFor();
  await page.getByRole('button', { name: 'Edit the options' }).click();
  expect(JSON.parse(await page.locator('textarea').inputValue())).toEqual({ quoteLifetime: 60 });
  await save(page, { rateLimit: { requests: 100 } });
  await page.getByRole('alert').getByText('rateLimit.per is required').waitFor();
  await page.getByText('Line 2:').waitFor();
  await save(page, { transitions: { payments: { COMPLETED: ['RETURNED', 'GONE'] } } });
  await page.getByText('Line 6:').waitFor();
  await save(page, { quotes: 'reusable' });
  await first.getByText('whether a quote can be used more than once').waitFor();
  expect(served.platform.assumptions()).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ option: 'quotes', value: 'reusable' }),
      expect.objectContaining({ option: 'quoteLifetime', value: '900 s' }),
    ]),
  );
});

describe('state', () => {
  test('a reset of the platform asks first', async () => {
    const { page, served, show } = await openConsole(browser);
    served.platform.customers.addMany(3);
    await show('state');
    page.once('dialog', (dialog) => void dialog.dismiss());
    await page.getByRole('button', { name: 'Reset the platform' }).click();
    expect(served.platform.customers.all()).toHaveLength(3);
    page.once('dialog', (dialog) => void dialog.accept());
    await page.getByRole('button', { name: 'Reset the platform' }).click();
    await page.getByText('Reset the platform.').waitFor();
    expect(served.platform.customers.all()).toEqual([]);
  });

  test('a scenario of the package is loaded', async () => {
    const { page, served, show } = await openConsole(browser);
    await show('state');
    await page.getByRole('button', { name: 'Load first-payment' }).click();
    await page.getByText('Loaded first-payment.').waitFor();
    expect(served.platform.payments.all().length + served.platform.quotes.all().length).toBeGreaterThan(0);
  });

  test('the copied credentials work', async () => {
    const { page, served, show } = await openConsole(browser);
    await show('state');
    await page.getByRole('button', { name: /^\.env/ }).click();
    await page.getByText('Copied', { exact: true }).waitFor();
    const lines = await page.evaluate(() => navigator.clipboard.readText());
    const [, privateKey = ''] = /CORRIDOR_PRIVATE_KEY="(.+)"/.exec(lines) ?? [];
    const [, apiKey = ''] = /CORRIDOR_API_KEY=(.+)/.exec(lines) ?? [];
    const corridor = new Corridor({ baseUrl: served.url, apiKey, privateKey: privateKey.replaceAll('\\n', '\n') });
    expect(await corridor.crypto.networks()).not.toEqual([]);
  });

  test.each([
    ['running', 'shared'],
    ['frozen', 'shared'],
    ['running', 'own'],
  ] as const)('the copied curl command works on a %s, %s clock', async (state, kind) => {
    const { page, served, show } = await openConsole(browser);
    const { platform } = served;
    const organization = kind === 'own' ? platform.organization({ clock: 'own' }) : platform;
    organization.clock.advance({ days: 40 });
    if (state === 'frozen') organization.clock.freeze();
    await show('state');
    await page.getByRole('button', { name: `curl: copy the credentials of ${organization.name}` }).click();
    await page.getByText('Copied', { exact: true }).waitFor();
    const command = await page.evaluate(() => navigator.clipboard.readText());
    const [url = '', ...words] = execFileSync('sh', ['-c', `curl() { printf '%s\\n' "$@"; }\n${command}`], {
      encoding: 'utf8',
    }).split('\n');
    const headers = words.filter((word) => word.includes(': ')).map((word) => word.split(': ') as [string, string]);
    const response = await fetch(url, { headers });
    expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('ETHEREUM')]);
  });
});

test('a document shows its size and is downloaded with its bytes', async () => {
  const content = 'Invoice 2026-001';
  const { page, show } = await openConsole(browser, {
    prepare: ({ platform }) => platform.documents.add({ id: 'doc_shown', fileName: 'invoice.txt', content }),
  });
  await show('documents/doc_shown');
  await page.getByText('16 bytes').waitFor();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download', exact: true }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('invoice.txt');
  expect(await readFile(await download.path(), 'utf8')).toBe(content);
});
