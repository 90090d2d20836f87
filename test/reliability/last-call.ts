// Run by resources-held.test.ts: makes calls, says so, and must then end by itself.
import { createServer } from 'node:http';
import { generateKeyPairSync } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { registerHooks } from 'node:module';

// The sources import each other as they will be when built.
registerHooks({
  resolve: (specifier, context, next) =>
    next(
      specifier.startsWith('.') && specifier.endsWith('.js') && context.parentURL?.includes('/src/')
        ? specifier.replace(/\.js$/, '.ts')
        : specifier,
      context,
    ),
});
const { Corridor } = await import('../../src/index.ts');

const server = createServer((_request, response) =>
  response.setHeader('content-type', 'application/json').end('{"networks":[]}'),
);
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const privateKey = generateKeyPairSync('rsa', { modulusLength: 2048 })
  .privateKey.export({ type: 'pkcs8', format: 'pem' })
  .toString();
const corridor = new Corridor({
  baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  apiKey: 'key_for_tests',
  privateKey,
});
await corridor.crypto.networks();
await corridor.crypto.networks({ signal: new AbortController().signal });
server.close();
server.unref();
console.log('last call made');
