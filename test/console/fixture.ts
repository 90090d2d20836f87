import { Corridor } from 'corridor-sdk';
import { serveMockPlatform, type MockPlatformServer, type ServeOptions } from 'corridor-sdk/mock/node';
import type { Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import type { StartedBrowser } from './chromium.ts';

/** The options of `openConsole`, and those of the server. */
export interface OpenOptions extends ServeOptions {
  /** Fills the platform before the page opens. */
  readonly prepare?: (served: MockPlatformServer) => unknown;
  /** Prepares the page before it opens. */
  readonly open?: (page: Page) => Promise<unknown>;
  /** The errors that the page may print. */
  readonly allowed?: RegExp;
}

/** A page that shows the console of a server. */
export interface OpenedConsole {
  readonly served: MockPlatformServer;
  readonly corridor: Corridor;
  readonly page: Page;
  /** Shows a screen or a record. */
  show(route: string): Promise<void>;
}

/**
 * Serves a platform and opens its console. When the test ends, fails if the page printed an error or sent a request to
 * another origin.
 */
export async function openConsole(
  { context }: StartedBrowser,
  { prepare = () => {}, open = async () => {}, allowed, ...options }: OpenOptions = {},
): Promise<OpenedConsole> {
  const served = await serveMockPlatform({ control: true, seed: 1, ...options });
  await prepare(served);
  const page = await context.newPage();
  await open(page);
  const problems: string[] = [];
  page.on('console', (message) => {
    const isProblem = message.type() === 'error' || message.type() === 'warning';
    if (isProblem && allowed?.test(message.text()) !== true) problems.push(message.text());
  });
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('request', (request) => {
    if (!request.url().startsWith(`${served.url}/__mock/`) && !request.url().startsWith('data:'))
      problems.push(`a request to ${request.url()}`);
  });
  onTestFinished(async () => {
    await page.close();
    await served.close();
    expect(problems).toEqual([]);
  });
  const show = async (route: string): Promise<void> => {
    await page.goto(`${served.url}/__mock/console#/${route}`);
    await page.locator('h1').waitFor();
  };
  await show('requests');
  return { served, corridor: new Corridor({ ...served.clientOptions(), maxRetries: 0 }), page, show };
}
