import { posix } from 'node:path';
import { expect, test } from 'vitest';
import { packedPaths } from '../../scripts/package/packed.ts';
import { publishableText, withAddresses } from '../../scripts/package/publish-links.ts';
import { localLinks } from '../../scripts/site/local-links.ts';
import { read, typescriptIn } from '../repository/tree.js';

const packed = new Set(packedPaths());
const documents = [...packed].filter((path) => path.endsWith('.md'));
const deadLinks = (path: string, text: string): string[] =>
  localLinks(path, text)
    .filter((target) => !packed.has(target))
    .map((target) => `${path}: ${target}`);

test.each(['README.md', 'AGENTS.md', 'CHANGELOG.md', 'docs/quickstart.md'])(
  'every link of %s leads to a file of the package',
  (path) => {
    expect(deadLinks(path, read(path).text)).toEqual([]);
  },
);

test('every link of a published document leads to a file of the package, or to the repository', () => {
  const blob = 'https://github.com/acme/corridor-sdk/blob/v1.0.0';
  const published = documents.map((path) => ({ path, text: publishableText(path, read(path).text, packed, blob) }));
  expect(published.flatMap(({ path, text }) => deadLinks(path, text))).toEqual([]);
  expect(published.find(({ path }) => path === 'docs/reliability.md')?.text).toContain(
    `](${blob}/test/reliability/one-post.test.ts)`,
  );
});

test('links within the package, to anchors and to other hosts stay as they are', () => {
  const text = '[a](b.md#c) [d](#e) [f](https://example.com/g)';
  expect(publishableText('docs/a.md', text, new Set(['docs/b.md']), 'https://x/blob/v1')).toBe(text);
  expect(publishableText('docs/a.md', '![a](b.png)', new Set(), 'https://x/blob/v1')).toBe(
    '![a](https://x/raw/v1/docs/b.png)',
  );
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
    [...text.matchAll(/'([a-z-]+)\.md#([\w-]+)'/g)].map(([, page = '', anchor = '']) => ({ page, anchor })),
  );
  expect(named.length).toBeGreaterThan(3);
  for (const { page, anchor } of named) {
    const path = posix.join('docs', `${page}.md`);
    expect(packed).toContain(path);
    const titles = [...read(path).text.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
      title
        .toLowerCase()
        .replaceAll(/[^\w\- ]/g, '')
        .replaceAll(' ', '-'),
    );
    expect(titles).toContain(anchor);
  }
});
