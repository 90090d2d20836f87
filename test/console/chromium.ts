import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type BrowserContext, type BrowserContextOptions } from 'playwright-core';

/** The program of the browser. */
export const chromiumPath = process.env['CORRIDOR_CHROMIUM'] ?? '/usr/bin/chromium';

const args = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** A browser with a new profile. */
export interface StartedBrowser {
  readonly context: BrowserContext;
  close(): Promise<void>;
}

/** Starts Chromium with a new profile. */
export async function startBrowser(options: BrowserContextOptions = {}): Promise<StartedBrowser> {
  const folder = await mkdtemp(join(tmpdir(), 'corridor-console-'));
  const context = await chromium.launchPersistentContext(folder, { executablePath: chromiumPath, args, ...options });
  return {
    context,
    close: async () => {
      await context.close();
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
