import { fileURLToPath } from 'node:url';
import { createClient } from '@hey-api/openapi-ts';

// A client as a partner would have it generated, from the document alone. The tests import it, so it is written before
// they are compiled.
const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

await createClient({
  input: at('../../../docs/openapi.json'),
  output: { path: at('partner/generated'), importFileExtension: '.ts', clean: true },
  plugins: ['@hey-api/client-fetch', '@hey-api/typescript', '@hey-api/sdk'],
  logs: { level: 'silent', file: false },
});
