import { mkdirSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Corridor } from 'corridor-sdk';
import { serveMockPlatform } from 'corridor-sdk/mock/node';
import { chromium } from 'playwright-core';

// node --import ./scripts/from-source.ts scripts/console-screenshots.ts
// Takes the pictures of docs/mock-server.md, in Chromium, whose path is in CORRIDOR_CHROMIUM.
const folder = fileURLToPath(new URL('../docs/images/', import.meta.url));
const maxBytes = 170_000;

interface Picture {
  readonly name: string;
  readonly route: string;
  /** A text that is shown when the page is ready. */
  readonly ready: string;
  readonly theme: 'light' | 'dark';
  readonly width: number;
  readonly height: number;
  /** @default the mock */
  readonly url?: string;
}

const served = await serveMockPlatform({ control: true, seed: 7 });
const { platform } = served;
platform.clock.set('2026-03-02T09:00:00Z');
platform.populate();
platform.clock.resume();
const corridor = new Corridor({ ...served.clientOptions(), maxRetries: 0, consistencyWindow: 0 });
const create = (): Promise<unknown> => corridor.payments.createOnce(platform.payments.createParams());

for (let count = 0; count < 4; count += 1) {
  await corridor.customers.list({ limit: 5 });
  await corridor.payments.list({ limit: 10 });
  await create();
}
await corridor.customers.get('cus_unknown').catch(() => undefined);
platform.faults.next('payments.list', { kind: 'status', status: 503 });
await corridor.payments.list().catch(() => undefined);
platform.faults.next('payments.create', { kind: 'reset-after-commit' });
await create();
platform.faults.rate('*', 0.2, { kind: 'slow', delay: 2_000 });
const lost = platform.requests.to('payments.create').find(({ fault }) => fault !== undefined);
const payment = platform.payments.add({ amount: '12500.00', currencyCode: 'USD' });
platform.payments.transition(payment.id, 'APPROVED');
platform.payments.scheduleTransitions(payment.id, ['PROCESSING', 'COMPLETED'], { every: { hours: 1 } });

// A platform that contradicts two assumptions, behind a server that shows its exchanges.
const sandbox = await serveMockPlatform({ seed: 7, errorBody: 'nested', listOrder: 'oldest-first' });
sandbox.platform.populate();
const front = await serveMockPlatform({ control: true, upstream: sandbox.url });
const partner = new Corridor({ ...sandbox.clientOptions(), baseUrl: front.url, maxRetries: 0 });
await partner.payments.list({ limit: 10 });
await partner.customers.get('cus_unknown').catch(() => undefined);
front.platform.faults.next('payments.create', { kind: 'reset-after-commit' });
await partner.payments.createOnce(sandbox.platform.payments.createParams());

const pictures: readonly Picture[] = [
  {
    name: 'requests',
    route: `requests/${lost?.requestId}`,
    ready: 'connection reset',
    theme: 'light',
    width: 1200,
    height: 640,
  },
  { name: 'board', route: 'board', ready: 'Pending review', theme: 'dark', width: 1080, height: 720 },
  { name: 'payment', route: `payments/${payment.id}`, ready: 'Scheduled', theme: 'light', width: 1080, height: 720 },
  { name: 'faults', route: 'faults', ready: 'Planned', theme: 'dark', width: 1200, height: 720 },
  {
    name: 'upstream',
    route: 'assumptions',
    ready: 'Evidence',
    theme: 'light',
    width: 1200,
    height: 720,
    url: front.url,
  },
];

mkdirSync(folder, { recursive: true });
const browser = await chromium.launch({
  executablePath: process.env['CORRIDOR_CHROMIUM'] ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
});
try {
  for (const { name, route, ready, theme, width, height, url = served.url } of pictures) {
    const page = await browser.newPage({ viewport: { width, height }, colorScheme: theme });
    await page.goto(`${url}/__mock/console#/${route}`);
    await page.getByText(ready).first().scrollIntoViewIfNeeded();
    await page.getByText('Live', { exact: true }).waitFor();
    const path = `${folder}console-${name}.png`;
    await page.screenshot({ path });
    const { size } = statSync(path);
    console.log(`${path}: ${size} bytes`);
    if (size > maxBytes) throw new Error(`${path} is larger than ${maxBytes} bytes`);
    await page.close();
  }
} finally {
  await browser.close();
  for (const server of [served, front, sandbox]) await server.close();
}
