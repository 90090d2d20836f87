import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Corridor } from '../dist/index.js';
import { createMockPlatform } from '../dist/mock/index.js';
import { Worker } from './harness.ts';

/** The fixture of every measurement: a server in a separate process, a key, and a page of 100 payments. */
export interface Fixture {
  readonly url: string;
  readonly privateKey: string;
  /** A file with one page of 100 payments, as JSON. */
  readonly pageFile: string;
  readonly pageBytes: number;
  readonly folder: string;
  close(): void;
}

export async function createFixture(): Promise<Fixture> {
  const platform = createMockPlatform({ seed: 'bench' });
  platform.payments.addMany(100, (index) => ({ status: index % 2 === 0 ? 'COMPLETED' : 'PROCESSING' }));
  const { items } = await new Corridor(platform.clientOptions()).payments.list({ limit: 100 });
  const page = JSON.stringify({ items, nextCursor: null, hasMore: false });
  const folder = mkdtempSync(join(tmpdir(), 'corridor-bench-'));
  const pageFile = join(folder, 'page.json');
  writeFileSync(pageFile, page);
  const recordFile = join(folder, 'record.json');
  writeFileSync(recordFile, JSON.stringify(platform.customers.add({ id: 'cus_1' })));
  const server = new Worker('server.ts', [recordFile, pageFile]);
  const { port } = (await server.ready) as { readonly port: number };
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  return {
    url: `http://127.0.0.1:${port}`,
    privateKey,
    pageFile,
    pageBytes: Buffer.byteLength(page),
    folder,
    close() {
      server.stop();
      rmSync(folder, { recursive: true });
    },
  };
}
