import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { after, before, beforeEach, test } from 'node:test';
import { promisify } from 'node:util';
import { serveMockPlatform } from 'corridor-sdk/mock/node';

const run = promisify(execFile);
const readme = await readFile(new URL('node_modules/corridor-sdk/README.md', import.meta.url), 'utf8');
const programs = [...readme.matchAll(/^```ts\n(import .*?)^```$/gms)].map(([, text]) => text);
const [mockProgram = '', program = ''] = programs;
let served;
before(async () => (served = await serveMockPlatform({ seed: 1 })));
beforeEach(() => {
  const { platform } = served;
  platform.reset();
  const customerId = platform.customers.add({ id: 'cus_1' }).id;
  platform.beneficiaries.add({ id: 'ben_1', customerId, currencyCode: 'USD' });
  platform.quotes.add({ id: 'quo_1', customerId, paymentAmount: '1250.00', paymentCurrencyCode: 'USD' });
  platform.documents.add({ id: 'doc_1', customerId });
});
after(() => served.close());

test('the README begins with a program that needs nothing', async () => {
  await writeFile(new URL('mock.mjs', import.meta.url), mockProgram);
  const { stdout } = await run(process.execPath, ['mock.mjs'], { cwd: new URL('.', import.meta.url), env: {} });

  assert.equal(stdout, 'PENDING_REVIEW\nAPPROVED\n');
});

test('the second program of the README creates a payment', () => {
  assert.match(program, /new Corridor\(\)/);
  assert.match(program, /createOnce/);
});

for (const file of ['pay.mjs', 'pay.ts']) {
  test(`it runs as ${file}, with nothing but the environment`, async () => {
    const { id } = served.platform.payments.add({ status: 'COMPLETED', amount: '1250.00', currencyCode: 'MXN' });
    const { baseUrl, apiKey, privateKey } = await served.credentials();
    await writeFile(new URL(file, import.meta.url), program);

    const { stdout } = await run(process.execPath, [file], {
      cwd: new URL('.', import.meta.url),
      env: { ...process.env, CORRIDOR_BASE_URL: baseUrl, CORRIDOR_API_KEY: apiKey, CORRIDOR_PRIVATE_KEY: privateKey },
    });

    const [created] = served.platform.payments.all().filter(({ paymentQuoteId }) => paymentQuoteId === 'quo_1');
    assert.equal(stdout, `${created?.id} PENDING_REVIEW\n${id} 1250.00 MXN\n`);
  });
}
