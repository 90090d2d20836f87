import * as sdk from 'corridor-sdk';
import * as mock from 'corridor-sdk/mock';
import { mockHandlers } from 'corridor-sdk/mock/msw';
import { setupWorker } from 'msw/browser';
import { runSuite } from './suite.js';

// For a page: the suite with the client allowed, the error without that option, and msw's service worker as the platform.
async function rejects({ served }) {
  try {
    return `made: ${new sdk.Corridor({ ...served })}`;
  } catch (error) {
    return error instanceof sdk.ConfigurationError && /dangerouslyAllowBrowser/.test(error.message)
      ? undefined
      : String(error);
  }
}

async function answeredByWorker() {
  const platform = mock.createMockPlatform({ seed: 1 });
  platform.payments.addMany(30);
  const worker = setupWorker(...mockHandlers(platform));
  await worker.start({ quiet: true, onUnhandledRequest: 'bypass' });
  const { baseUrl, apiKey, privateKey } = await platform.credentials();
  const corridor = new sdk.Corridor({ baseUrl, apiKey, privateKey, dangerouslyAllowBrowser: true });
  const payments = await corridor.payments.list({ limit: 10 }).toArray();
  const error = await corridor.customers.get('cus_unknown').catch((reason) => reason);
  worker.stop();
  if (navigator.serviceWorker.controller === null) return 'no service worker is in charge of the page';
  if (payments.length !== 30 || platform.requests.length !== 4)
    return `${payments.length} payments by ${platform.requests.length} requests`;
  return error instanceof sdk.NotFoundError ? undefined : String(error);
}

globalThis.runInPage = async (fixture) => {
  const report = async (name, check) => {
    const error = await check(fixture).catch((reason) => String(reason));
    return error === undefined ? { name } : { name, error };
  };
  const found = [
    await report('by default the client rejects browsers', rejects),
    ...(await runSuite({ sdk, mock }, { ...fixture, isPage: true, options: { dangerouslyAllowBrowser: true } })),
    await report("msw's worker answers as the platform", answeredByWorker),
  ];
  return [{ build: 'ES modules, in a bundle', found }];
};
