import { readFileSync, writeFileSync } from 'node:fs';
import { openapiDocument } from './openapi/document.ts';

// The OpenAPI document that the package ships, generated from the contract. `npm run openapi:update` writes it; without --update
// it is compared.
const file = new URL('../openapi.json', import.meta.url);
const text = `${JSON.stringify(await openapiDocument(), null, 2)}\n`;
if (process.argv.includes('--update')) {
  writeFileSync(file, text);
  console.log(`openapi.json written, ${Math.round(text.length / 1024)} kB`);
} else if (readOr(file) !== text) {
  console.error('openapi.json is not what the contract gives. If the contract was meant to change: npm run openapi:update, and commit it.');
  process.exitCode = 1;
}

function readOr(path: URL): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
