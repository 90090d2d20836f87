import { request } from 'node:http';
import { runInNewContext } from 'node:vm';
import { execFileSync } from 'node:child_process';
import { Corridor } from 'corridor-sdk';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startBrowser, type StartedBrowser } from './chromium.ts';
import { openConsole } from './fixture.ts';

let browser: StartedBrowser;
beforeAll(async () => {
  browser = await startBrowser({ permissions: ['clipboard-read', 'clipboard-write'] });
});
afterAll(() => browser.close());

describe('the list of requests', () => {
  test('shows each request while the SDK sends it', async () => {
    const { page, corridor, served } = await openConsole(browser);
    await page.getByText('No requests yet.').waitFor();

    await corridor.payments.create(served.platform.payments.createParams());
    await page.getByRole('link', { name: 'payments.create' }).waitFor();
    await corridor.customers.list();
    await page.getByRole('link', { name: 'customers.list' }).waitFor();

    await page.getByRole('link', { name: 'Payments', exact: true }).click();
    await page.getByText('1 payment', { exact: true }).waitFor();
    await corridor.payments.create(served.platform.payments.createParams());
    await page.getByText('2 payments', { exact: true }).waitFor();
  });

  test('shows the error of a late commit that failed in the row of its request', async () => {
    const { page, corridor, served } = await openConsole(browser);
    const { clock, faults, payments } = served.platform;
    faults.next('payments.create', { kind: 'late-commit', after: 60_000 });
    const params = payments.createParams();
    await corridor.payments.create(params).catch(() => undefined);
    await page.getByText('1 request', { exact: true }).waitFor();
    payments.add({ paymentQuoteId: params.paymentQuoteId });

    clock.advance({ minutes: 1 });

    await page.locator('.list tr').getByText('quote_used').waitFor();
    expect(await page.locator('.list tr').getByText('late-commit').count()).toBe(1);
    await page.getByText('1 request', { exact: true }).waitFor();
  });

  test('loses nothing by a reload', async () => {
    const { page, corridor } = await openConsole(browser);
    await corridor.crypto.networks();
    await corridor.customers.list();
    await page.getByText('2 requests').waitFor();

    await page.reload();

    await page.getByText('2 requests').waitFor();
    await page.getByRole('link', { name: 'crypto.networks' }).waitFor();
    await page.getByRole('link', { name: 'customers.list' }).waitFor();
  });

  test('shows more of 10,000 requests on demand', async () => {
    const { page } = await openConsole(browser, {
      prepare: async ({ url }) => {
        for (let index = 0; index < 10_000; index += 100)
          await Promise.all(
            Array.from({ length: 100 }, (_, offset) => fetch(`${url}/api/v1/customers/number-${index + offset}`)),
          );
      },
    });
    await page.getByText('10,000 requests', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Show more (9,800)' }).click();
    await page.getByRole('button', { name: 'Show more (8,000)' }).click();
    await page.getByRole('button', { name: 'Show more' }).waitFor({ state: 'detached' });
    await page.locator('.list').evaluate((element) => (element.scrollTop = element.scrollHeight));
    await page.getByText('GET /api/v1/customers/number-0', { exact: true }).waitFor();
  });

  test('says how many requests the full log dropped', async () => {
    const { page } = await openConsole(browser, {
      logSize: 20,
      prepare: async ({ platform }) => {
        for (let index = 0; index < 30; index += 1) await platform.fetch(`${platform.baseUrl}/number-${index}`);
      },
    });
    await page.getByText('dropped 10 earlier requests').waitFor();
  });

  test('is filtered', async () => {
    const { page, corridor } = await openConsole(browser);
    await corridor.crypto.networks();
    await corridor.customers.list();
    await page.getByLabel('Filter requests').fill('customers');
    await page.getByRole('link', { name: 'customers.list' }).waitFor();
    await page.getByRole('link', { name: 'crypto.networks' }).waitFor({ state: 'detached' });
  });

  test('starts again when the platform is reset', async () => {
    const { page, corridor, served } = await openConsole(browser);
    await corridor.crypto.networks();
    await page.getByRole('link', { name: 'crypto.networks' }).waitFor();
    served.platform.reset();
    await page.getByText('No requests yet.').waitFor();
  });
});

describe('the details of a request', () => {
  test('of a create list its other attempts', async () => {
    const { page, served } = await openConsole(browser);
    const order = served.platform.payments.createParams();
    const { payments } = new Corridor(served.clientOptions());
    await payments.create(order);
    for (let count = 0; count < 2; count += 1) await expect(payments.create(order)).rejects.toThrow('quote');
    await payments.create(served.platform.payments.createParams());
    await page.getByText('4 requests', { exact: true }).waitFor();

    await page.getByRole('link', { name: 'payments.create' }).last().click();
    const others = page.getByRole('region', { name: 'Requests of this create' }).locator('tbody tr');
    await others.first().waitFor();
    expect(await others.allInnerTexts()).toEqual([
      expect.stringContaining('201'),
      expect.stringMatching(/409[\s\S]*quote_used/),
      expect.stringMatching(/409[\s\S]*quote_used/),
    ]);
  });

  test('lead from a create whose response was lost to the search that found its payment, and back', async () => {
    const { page, served } = await openConsole(browser);
    const { payments } = new Corridor({ ...served.clientOptions(), consistencyWindow: 0 });
    await payments.list({ limit: 100 });
    served.platform.faults.next('payments.create', { kind: 'reset-after-commit' });
    const { payment } = await payments.createOnce(served.platform.payments.createParams());
    await page.getByRole('link', { name: 'payments.create' }).click();

    const others = page.getByRole('region', { name: 'Requests of this create' });
    await others.getByRole('link', { name: 'payments.list' }).click();
    await page.getByLabel('Body of the response').getByRole('link', { name: payment.id }).waitFor();
    // The list has only these, so that j and k lead from one to the other.
    await page.getByText('2 of 3 requests').waitFor();
    await others.getByRole('link', { name: 'payments.create' }).click();
    await page.getByText('connection reset').waitFor();
    await page.keyboard.press('k');
    await page.getByLabel('Body of the response').getByRole('link', { name: payment.id }).waitFor();
  });

  test('show the claims of a rejected token, and mark the wrong one', async () => {
    const { page, served } = await openConsole(browser);
    const corridor = new Corridor({ ...served.clientOptions(), claims: () => ({ uri: '/other' }), maxRetries: 0 });
    await corridor.payments.list().catch(() => undefined);
    await page.getByRole('link', { name: 'payments.list' }).click();
    const claims = page.getByLabel('Claims of the token');
    await claims.locator('mark').waitFor();
    expect(await claims.locator('mark').allInnerTexts()).toEqual(['"uri"']);
  });

  test('mark the fields that an error is about, and say what a fault did', async () => {
    const { page, served, corridor } = await openConsole(browser);
    const params = served.platform.payments.createParams({ amount: '1250.00' });
    await corridor.payments.create({ ...params, amount: '1250.01' }).catch(() => undefined);
    served.platform.faults.next('payments.create', { kind: 'late-commit', after: 1000 });
    await corridor.payments.create(params).catch(() => undefined);
    await page.getByText('2 requests', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'payments.create' }).last().click();
    const marks = page.getByLabel('Body of the request').locator('mark');
    await marks.first().waitFor();
    expect(await marks.allInnerTexts()).toContain('"amount"');
    await page.getByRole('link', { name: 'payments.create' }).first().click();
    await page.locator('.panel').getByText('The request is processed later.').waitFor();
  });

  test('link ids to the records of the organization that sent the request', async () => {
    const { page, served } = await openConsole(browser, {
      prepare: ({ platform }) => platform.organization({ name: 'Acme' }),
    });
    const acme = served.platform.organizations[1];
    const id = acme?.customers.add({ companyName: 'Of Acme' }).id ?? '';
    await new Corridor(served.clientOptions(acme)).customers.get(id);
    await page.getByRole('link', { name: 'customers.get' }).click();
    await page.locator('.panel p').getByRole('link', { name: id }).click();
    await page.locator('.panel').getByText('Of Acme').first().waitFor();
    await page.getByLabel('Organization').locator('option:checked', { hasText: 'Acme' }).waitFor({ state: 'attached' });
  });

  test('link ids to their records, in the path and in bodies, and mark the fields that an error names', async () => {
    const { page, served, corridor } = await openConsole(browser);
    const params = served.platform.payments.createParams({ amount: '1250.00' });
    await corridor.payments
      .create({ ...params, amount: '1250.01', beneficiaryId: 'ben_nobody' })
      .catch(() => undefined);
    await page.getByRole('link', { name: 'payments.create' }).click();
    const body = page.getByLabel('Body of the request');
    await body.locator('mark').waitFor();
    expect(await body.locator('mark').allInnerTexts()).toEqual(['"beneficiaryId"']);
    expect(await page.getByText('accept-encoding', { exact: true }).first().isVisible()).toBe(false);
    await body.getByRole('link', { name: params.paymentQuoteId }).click();
    await page.getByRole('heading', { name: 'Quotes' }).waitFor();
    expect(new URL(page.url()).hash).toContain(`#/quotes/${params.paymentQuoteId}`);
  });

  test('are found by what their bodies contain', async () => {
    const { page, served, corridor } = await openConsole(browser);
    await corridor.payments.create(served.platform.payments.createParams({ internalReference: 'order-4711' }));
    await corridor.crypto.networks();
    await page.getByLabel('Filter requests').fill('ORDER-4711');
    await page.getByText('1 of 2 requests').waitFor();
  });

  test('show the claims, both bodies and the invalid fields, and no credentials', async () => {
    const { page, served } = await openConsole(browser);
    const corridor = new Corridor({ ...served.clientOptions(), maxRetries: 0 });
    const { id } = await corridor.payments.create(served.platform.payments.createParams());
    await page.getByRole('link', { name: 'payments.create' }).click();

    await page.getByLabel('Claims of the token').getByText('bodyHash').waitFor();
    await page.getByLabel('Body of the request').getByText('"amount"').waitFor();
    await page.getByLabel('Body of the response').getByText(id).waitFor();
    const text = await page.locator('body').innerText();
    expect(text).not.toContain(served.clientOptions().apiKey);
    expect(text).not.toMatch(/Bearer /);
    await page.keyboard.press('Escape');
    await page.locator('.panel').waitFor({ state: 'detached' });
  });

  test.each(['GET', 'POST'])('copy a curl command of a %s that runs as pasted', async (method) => {
    const memo = `it's "$(touch x)" \`y\` \\ end`;
    const { page, corridor, served } = await openConsole(browser);
    if (method === 'POST') await corridor.payments.create({ ...served.platform.payments.createParams(), memo });
    else await corridor.customers.list({ status: 'APPROVED' });
    await page.locator('.list tbody a').click();
    await page.getByRole('button', { name: 'Copy as curl' }).click();
    await page.getByText('Copied', { exact: true }).waitFor();
    const command = await page.evaluate(() => navigator.clipboard.readText());

    const words = execFileSync('sh', ['-c', `curl() { printf '%s\\n' "$@"; }\n${command}`], { encoding: 'utf8' }).split(
      '\n',
    );
    const url = words.find((word) => word.startsWith('http')) ?? '';
    const headers = words.filter((word) => /^[\w-]+: /.test(word)).map((word) => word.split(': ') as [string, string]);
    const body = words[words.indexOf('--data-raw') + 1];
    if (method === 'POST') expect(JSON.parse(body ?? '')).toMatchObject({ memo });
    else expect(url).toBe(`${served.url}/api/v1/customers?status=APPROVED`);
    const response = await fetch(url, { method, headers, ...(method === 'POST' && { body }) });
    // The quote was used by the first request, so that the signature was accepted.
    expect([response.status, await response.text()]).toEqual(
      method === 'POST' ? [409, expect.stringContaining('quote_used')] : [200, expect.stringContaining('items')],
    );
  });

  test('copy a curl command with the method of a GET request that has a body', async () => {
    const { page, served } = await openConsole(browser);
    const { promise, resolve } = Promise.withResolvers<unknown>();
    // A `fetch` sends no body with GET.
    request(`${served.url}/api/v1/payment`, { headers: { 'content-length': 14 } }, resolve).end('{"amount":"1"}');
    await promise;
    await page.getByRole('link', { name: 'payments.list' }).click();
    await page.getByRole('button', { name: 'Copy as curl' }).click();
    await page.getByText('Copied', { exact: true }).waitFor();
    const command = await page.evaluate(() => navigator.clipboard.readText());
    expect(command).toContain(`curl -X 'GET' '${served.url}'"$uri"`);
    expect(command).toContain(`body='{"amount":"1"}'`);
  });

  test('copy the matcher of the request', async () => {
    const { page, corridor, served } = await openConsole(browser);
    const params = { ...served.platform.payments.createParams(), memo: `it's "new"` };
    await corridor.payments.create(params);
    await page.getByRole('link', { name: 'payments.create' }).click();
    await page.getByRole('button', { name: 'Copy as matcher' }).click();
    await page.getByText('Copied', { exact: true }).waitFor();
    const matcher = await page.evaluate(() => navigator.clipboard.readText());
    const calls: unknown[] = [];
    const context = {
      platform: 'platform',
      expect: () => ({
        toHaveReceived: (...args: readonly unknown[]) => calls.push(JSON.parse(JSON.stringify(args))),
      }),
    };
    runInNewContext(matcher, context);

    expect(calls).toEqual([['payments.create', params]]);
  });
});
