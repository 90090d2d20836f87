import { existsSync } from 'node:fs';
import { posix } from 'node:path';
import { expect, test } from 'vitest';
import { packedPaths } from '../../scripts/package/packed.ts';
import { withAddresses } from '../../scripts/package/publish-addresses.ts';
import { read, typescriptIn } from '../../scripts/repository/tree.ts';

const packed = new Set(packedPaths());

/** The anchors of the titles of a document. */
const anchorsOf = (path: string): string[] =>
  [...read(path).text.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1')
      .replaceAll(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );

test('every link of a packed document opens: its file is in the package, and its anchor in the file', () => {
  const documents = [...packed].filter((path) => path.endsWith('.md'));
  const links = documents.flatMap((path) =>
    [...read(path).text.matchAll(/\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]*))?\)/g)].map(
      ([link, file = '', anchor]) => ({
        link: `${path}: ${link}`,
        target: file === '' ? path : posix.join(posix.dirname(path), file),
        anchor,
      }),
    ),
  );
  expect(links.length).toBeGreaterThan(300);
  const dead = links.filter(
    ({ target, anchor }) => !packed.has(target) || (anchor !== undefined && !anchorsOf(target).includes(anchor)),
  );
  expect(dead).toEqual([]);
});

test('every test and script that a packed document names exists in the repository', () => {
  const named = [...packed]
    .filter((path) => path.startsWith('docs/') && path.endsWith('.md'))
    .flatMap((path) => [...read(path).text.matchAll(/`((?:test|scripts)\/[\w/.-]+\.[jt]s)`/g)])
    .map(([, path = '']) => path);
  expect(named.length).toBeGreaterThan(40);
  expect(named.filter((path) => !existsSync(path))).toEqual([]);
});

test('package.json gets the address of the repository in three fields, and keeps the rest', () => {
  const manifest = read('package.json').text;
  const published = JSON.parse(withAddresses(manifest, 'https://github.com/acme/corridor-sdk')) as object;
  expect(published).toMatchObject({
    ...(JSON.parse(manifest) as object),
    homepage: 'https://github.com/acme/corridor-sdk#readme',
    repository: { type: 'git', url: 'git+https://github.com/acme/corridor-sdk.git' },
    bugs: { url: 'https://github.com/acme/corridor-sdk/issues' },
  });
});

test('the sections of the documentation that errors name exist in the package', () => {
  const named = typescriptIn('src/errors').flatMap(({ text }) =>
    [...text.matchAll(/'([a-z-]+)\.md(?:#([\w-]+))?'/g)].map(([, page = '', anchor]) => ({ page, anchor })),
  );
  expect(named.length).toBeGreaterThan(3);
  for (const { page, anchor } of named) {
    const path = posix.join('docs', `${page}.md`);
    expect(packed).toContain(path);
    expect([undefined, ...anchorsOf(path)]).toContain(anchor);
  }
});
