import { existsSync } from 'node:fs';
import { packageEntries } from './entries.ts';

// Before `npm pack`: every file that package.json leads to is there. A build without types must not be published.
const missing = packageEntries
  .flatMap(({ files }) => Object.values(files).flatMap(({ types, default: code }) => [types, code]))
  .filter((file) => !existsSync(new URL(`../../${file}`, import.meta.url)));
if (missing.length > 0) {
  console.error(`package.json leads to files that are not there: ${missing.join(', ')}; run: npm run build`);
  process.exitCode = 1;
}
