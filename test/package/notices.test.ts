import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { bundledPackages, thirdPartyNotices } from '../../scripts/licenses/notices.ts';
import { buildConsole } from '../../src/mock/server/console-page.ts';
import { read } from '../../scripts/repository/tree.ts';

const versionOf = (name: string): string =>
  /"version": "(.+)"/.exec(read(`node_modules/${name}/package.json`).text)?.[1] ?? '';

test('the security review names the versions that the client contains', () => {
  const contained = `The client contains ky ${versionOf('ky')} and zod ${versionOf('zod')}`;
  expect(read('docs/security.md').text).toContain(contained);
});

test('the notices contain each package of a bundle once, with its version and license', async () => {
  const contents = "export * from 'standardwebhooks'; export * from 'zod';";
  const { metafile } = await build({
    stdin: { contents, resolveDir: process.cwd() },
    bundle: true,
    format: 'esm',
    external: ['zod'],
    metafile: true,
    write: false,
    logLevel: 'silent',
  });
  const notices = thirdPartyNotices([...bundledPackages(metafile), ...bundledPackages(metafile).toReversed()]);
  expect(notices.match(/^\S+ \d+\.\d+\.\d+ \(.+\)$/gm)).toEqual([
    `@stablelib/base64 ${versionOf('@stablelib/base64')} (MIT)`,
    `fast-sha256 ${versionOf('fast-sha256')} (Unlicense)`,
    `standardwebhooks ${versionOf('standardwebhooks')} (MIT)`,
  ]);
  expect(notices).toContain(read('node_modules/@stablelib/base64/LICENSE').text.trim());
  expect(notices).toContain('Copyright (c) 2023 Svix');
});

test('the notices contain the packages of the console', async () => {
  const { metafile } = await buildConsole();
  expect(thirdPartyNotices(bundledPackages(metafile))).toContain(read('node_modules/preact/LICENSE').text.trim());
});
