import crypto, { generateKeyPair } from 'node:crypto';
import { once } from 'node:events';
import { syncBuiltinESMExports } from 'node:module';
import { promisify } from 'node:util';

// Given to Node by --import: a key takes until standard input ends, and standard error tells that it is being made.
async function slowly(type: 'rsa', options: { readonly modulusLength: number }): Promise<unknown> {
  process.stderr.write('A key is being made.\n');
  await once(process.stdin.resume(), 'end');
  return made(type, options);
}

const made = promisify(generateKeyPair);
Object.assign(crypto, { generateKeyPair: Object.assign(() => {}, { [promisify.custom]: slowly }) });
syncBuiltinESMExports();
