import { readFileSync, writeFileSync } from 'node:fs';
import { openapiDocument } from './openapi/document.ts';

// Generates the OpenAPI document from the contract. `npm run update` writes it; without --update the script
// compares it.
const file = new URL('../docs/openapi.json', import.meta.url);
const text = `${JSON.stringify(await openapiDocument(), null, 2)}\n`;
if (process.argv.includes('--update')) {
  writeFileSync(file, text);
  console.log(`docs/openapi.json written, ${Math.round(text.length / 1024)} kB`);
} else if (readOr(file) !== text) {
  console.error(
    'docs/openapi.json does not match the contract. If the contract has changed, run npm run update and commit the file.',
  );
  process.exitCode = 1;
}

function readOr(path: URL): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
