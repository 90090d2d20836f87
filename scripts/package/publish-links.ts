import { readFileSync, writeFileSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packedPaths } from './packed.ts';

// node scripts/package/publish-links.ts https://github.com/OWNER/NAME
// Before a package is published: sets homepage, repository and bugs in package.json, and makes absolute links of those
// that lead out of the package. The workflow that publishes knows the address; nothing in the repository repeats it.

/**
 * Returns a document in which links to files that are not in the package lead to the repository, at a version, and those
 * to example programs to their JavaScript.
 */
export function publishableText(path: string, text: string, packed: ReadonlySet<string>, blob: string): string {
  return text.replaceAll(/\]\((?!https?:|mailto:|#)([^)#\s]+)(#[^)\s]*)?\)/g, (link, file: string, anchor = '') => {
    const target = posix.join(posix.dirname(path), file);
    const built = file.replace(/\.ts$/, '.js');
    if (packed.has(posix.join(posix.dirname(path), built))) return `](${built}${anchor})`;
    const base = /\.(?:svg|png)$/.test(target) ? blob.replace('/blob/', '/raw/') : blob;
    return packed.has(target) ? link : `](${base}/${target}${anchor})`;
  });
}

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
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const [url = ''] = process.argv.slice(2);
  if (!/^https:\/\/[\w.-]+\/[\w.-]+\/[\w.-]+$/.test(url)) {
    console.error('usage: node scripts/package/publish-links.ts https://github.com/OWNER/NAME');
    process.exit(2);
  }
  const { version } = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as { readonly version: string };
  const packed = new Set(packedPaths());
  for (const path of [...packed].filter((file) => file.endsWith('.md'))) {
    const text = readFileSync(`${root}${path}`, 'utf8');
    writeFileSync(`${root}${path}`, publishableText(path, text, packed, `${url}/blob/v${version}`));
  }
  writeFileSync(`${root}package.json`, withAddresses(readFileSync(`${root}package.json`, 'utf8'), url));
}
