import { readdirSync, readFileSync } from 'node:fs';
import type { Metafile } from 'esbuild';

/** Returns the folders of the packages that contributed code to a bundle. */
export function bundledPackages({ outputs }: Metafile): string[] {
  return Object.values(outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([path, { bytesInOutput }]) =>
      bytesInOutput === 0 ? [] : (/^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? []),
    ),
  );
}

/** Returns the name, the version and the license text of each package. */
export function thirdPartyNotices(folders: Iterable<string>): string {
  const notices = [...folders].map((folder) => {
    const manifest = readFileSync(`${folder}/package.json`, 'utf8');
    const { name, version, license } = JSON.parse(manifest) as Readonly<Record<string, string>>;
    return `${name} ${version} (${license})\n\n${licenseOf(folder, `${name}`)}\n`;
  });
  const rule = `\n${'-'.repeat(80)}\n\n`;
  return ['The files of this folder contain code of these packages.\n', ...new Set(notices.toSorted())].join(rule);
}

function licenseOf(folder: string, name: string): string {
  const file = readdirSync(folder).find((path) => /^licen[cs]e(?:\.\w+)?$/i.test(path));
  // Some packages are published without their license: licenses/ has its text, from the repository of the package.
  const path = file === undefined ? `scripts/licenses/${name.replace('/', '-')}.txt` : `${folder}/${file}`;
  return readFileSync(path, 'utf8').replaceAll('\r\n', '\n').trim();
}
