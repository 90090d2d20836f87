import { makers } from '../clients/makers.ts';

// A new process: loads one package and, if it gets a server, continues to the first response.
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

async function main(): Promise<void> {
  const began = performance.now();
  if (url === '') await imports[name]?.();
  else await (await makers[name]?.({ url, privateKey }))?.();
  console.log(JSON.stringify({ wall: performance.now() - began }));
  process.exit(0);
}

// A module in the format CommonJS cannot await.
void main();
