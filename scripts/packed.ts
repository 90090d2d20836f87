import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Packs the package as it would be published, into a folder, and says where. Builds it first, unless what is in dist will do. */
export function packed(folder: string, { built }: { readonly built: boolean }): string {
  if (!built) execFileSync('npm', ['run', '--silent', 'build', '--', '--silent'], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
  const [pack] = JSON.parse(execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })) as { readonly filename: string }[];
  if (pack === undefined) throw new Error('npm pack made nothing');
  return `${folder}/${pack.filename}`;
}
