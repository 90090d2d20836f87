import { makers } from '../clients/makers.ts';

// A new process: imports one module and, if it gets a server, continues to the first response.
const [name = '', url = '', privateKey = ''] = process.argv.slice(2);

const imports: Readonly<Record<string, () => Promise<unknown>>> = {
  'corridor-sdk': () => import('../../dist/index.js'),
  'ky + jose + zod': () => Promise.all([import('ky'), import('jose'), import('zod')]),
  'ky + jose + zod/mini': () => Promise.all([import('ky'), import('jose'), import('zod/mini')]),
  '@fireblocks/ts-sdk': () => import('@fireblocks/ts-sdk'),
  stripe: () => import('stripe'),
  openai: () => import('openai'),
  'modern-treasury': () => import('modern-treasury'),
};

async function firstResponse(): Promise<unknown> {
  return (await (makers[name] as (typeof makers)[string])({ url, privateKey }))();
}

const used = process.cpuUsage();
const began = performance.now();
await (url === '' ? (imports[name] as () => Promise<unknown>) : firstResponse)();
const { user, system } = process.cpuUsage(used);
console.log(JSON.stringify({ wall: performance.now() - began, processor: (user + system) / 1000 }));
process.exit(0);
