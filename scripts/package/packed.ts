import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Packs the package as it would be published into a folder, and returns its path. Builds it first, unless dist
 * is up to date.
 */
export function packed(folder: string, { built }: { readonly built: boolean }): string {
  if (!built)
    execFileSync('npm', ['run', '--silent', 'build', '--', '--silent'], {
      cwd: root,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  const [pack] = JSON.parse(
    execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }),
  ) as { readonly filename: string }[];
  if (pack === undefined) throw new Error('npm pack made nothing');
  return `${folder}/${pack.filename}`;
}

/** Returns the paths of the files that the package would contain. */
export function packedPaths(): string[] {
  const [pack] = JSON.parse(
    execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }),
  ) as { readonly files: readonly { readonly path: string }[] }[];
  return (pack?.files ?? []).map(({ path }) => path);
}
