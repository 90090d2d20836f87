import crypto, { generateKeyPair } from 'node:crypto';
import { once } from 'node:events';
import { syncBuiltinESMExports } from 'node:module';
import { promisify } from 'node:util';

// Preloaded with --import: generating a key lasts until standard input ends, and is reported on standard error.
async function slowly(type: 'rsa', options: { readonly modulusLength: number }): Promise<unknown> {
  process.stderr.write('A key is being made.\n');
  await once(process.stdin.resume(), 'end');
  return made(type, options);
}

const made = promisify(generateKeyPair);
Object.assign(crypto, { generateKeyPair: Object.assign(() => {}, { [promisify.custom]: slowly }) });
syncBuiltinESMExports();
