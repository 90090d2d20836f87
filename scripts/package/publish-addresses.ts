import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

// node scripts/package/publish-addresses.ts https://github.com/OWNER/NAME
// Before a package is published: sets homepage, repository and bugs in package.json. The workflow that publishes knows
// the address; nothing in the repository repeats it.

/** Returns package.json with the addresses of the repository. */
export function withAddresses(manifest: string, url: string): string {
  const fields = {
    homepage: `${url}#readme`,
    repository: { type: 'git', url: `git+${url}.git` },
    bugs: { url: `${url}/issues` },
  };
  return `${JSON.stringify({ ...(JSON.parse(manifest) as object), ...fields }, null, 2)}\n`;
}

if (import.meta.main) {
  const path = fileURLToPath(new URL('../../package.json', import.meta.url));
  const [url = ''] = process.argv.slice(2);
  if (!/^https:\/\/[\w.-]+\/[\w.-]+\/[\w.-]+$/.test(url)) {
    console.error('usage: node scripts/package/publish-addresses.ts https://github.com/OWNER/NAME');
    process.exit(2);
  }
  writeFileSync(path, withAddresses(readFileSync(path, 'utf8'), url));
}
