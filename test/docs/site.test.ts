import { readdirSync } from 'node:fs';
import { posix } from 'node:path';
import { describe, expect, test } from 'vitest';
import { packageEntries } from '../../scripts/package/entries.ts';
import { contents, pagesIn } from '../../scripts/site/contents.ts';
import { exampleOf } from '../../scripts/site/endpoints/examples.ts';
import { endpointPage, type OpenApi } from '../../scripts/site/endpoints/pages.ts';
import { brokenLinks } from '../../scripts/site/link-check.ts';
import { llmsList, llmsText, plainMarkdown } from '../../scripts/site/llms.ts';
import { localLinks } from '../../scripts/site/local-links.ts';
import { arrange } from '../../scripts/site/reference/arrange.ts';
import { targetOf } from '../../scripts/site/reference/names.ts';
import { exportsOf, modulesOf, referencePages } from '../../scripts/site/reference/pages.ts';
import { sitePath } from '../../scripts/site/site-path.ts';
import { plainText, stagedPages } from '../../scripts/site/stage.ts';
import { decisions } from '../../scripts/site/vitepress/decisions.ts';
import { read } from '../repository/tree.js';

const pages = contents('');
const textOf = (path: string): string => read(path).text;

describe('the list of pages', () => {
  test('has every document of the root, docs and .github', () => {
    const documents = readdirSync('docs', { recursive: true, encoding: 'utf8' })
      .map((path) => path.replaceAll('\\', '/'))
      .filter((path) => path.endsWith('.md') && path !== 'README.md' && !path.startsWith('api/'));
    const others = ['.', '.github'].flatMap((folder) =>
      readdirSync(folder)
        .filter((path) => path.endsWith('.md') && path !== 'README.md')
        .map((path) => posix.join(folder, path)),
    );
    const readmes = [
      'bench/README.md',
      'examples/README.md',
      'examples/backend/README.md',
      'examples/export-fleet/README.md',
    ];
    const expected = [...documents.map((path) => `docs/${path}`), ...others, ...readmes];
    expect(pages.map(({ path }) => path).toSorted()).toEqual(expected.toSorted());
  });

  test('gives each page a unique title and a summary', () => {
    expect(new Set(pages.map(({ title }) => title)).size).toBe(pages.length);
    expect(pagesIn('# All\n\n## Start\n\n- [Begin](a/b.md): with this\n', 'docs')).toEqual([
      { path: 'docs/a/b.md', title: 'Begin', summary: 'with this', group: 'Start' },
    ]);
  });
});

test('documents link only to documents that are pages', () => {
  const known = new Set(['README.md', 'docs/README.md', ...pages.map(({ path }) => path)]);
  const missing = pages.flatMap(({ path }) =>
    localLinks(path, textOf(path))
      .filter((target) => target.endsWith('.md') && !known.has(target))
      .map((target) => `${path}: ${target}`),
  );
  expect(missing).toEqual([]);
});

describe('a page of the site', () => {
  const page = (path: string) => ({ path, title: 'A: "page"', summary: 'of `code`', group: 'Use' });

  test('has its title and a description', () => {
    expect(stagedPages([page('docs/a.md')], () => '# A\n\nText.\n')).toEqual([
      { path: 'a', text: '---\ntitle: "A: \\"page\\""\ndescription: "Of code."\n---\n\n# A\n\nText.\n' },
    ]);
  });

  test('links to pages of code if the document links to code', () => {
    const staged = stagedPages([page('docs/a.md'), page('examples/README.md')], (path) =>
      path.endsWith('.ts')
        ? 'const a = 1;\n'
        : path === 'docs/a.md'
          ? 'See [one](../examples/one.ts#L1), [test](../test/a/b.test.ts) and [b](B.md#c).'
          : '[one](one.ts)',
    );

    expect(staged.map(({ path }) => path)).toEqual(['a', 'examples/index', 'examples/one', 'test/a/b.test']);
    expect(staged[0]?.text).toContain('[one](/examples/one.md#L1), [test](/test/a/b.test.md) and [b](/b.md#c).');
    expect(staged[2]?.text).toContain('```ts\nconst a = 1;\n```');
  });

  test('shows text that looks like elements, attributes or expressions as it is', () => {
    const text = 'PagePromise<T> at /{id}, `<T> {id}`\n\n```ts\nf<T>({});\n```\n<!-- note -->\n';
    expect(plainText(text)).toBe(
      'PagePromise&lt;T> at /&#123;id}, `<T> {id}`\n\n```ts\nf<T>({});\n```\n<!-- note -->\n',
    );
  });
});

describe('code in the text of a page', () => {
  const names = new Map([
    ['Customer', 'customer'],
    ['CryptoNetwork', 'network'],
    ['PaymentCreateParams', 'order'],
    ['corridor.payments.create', 'create'],
    ['customers.get', 'get'],
  ]);

  test.each([
    ['PaymentCreateParams', 'order'],
    ['PagePromise<Customer>', 'customer'],
    ['readonly CryptoNetwork[]', 'network'],
    ['corridor.payments.create(payment)', 'create'],
    ['customers.get', 'get'],
    ['nobody', undefined],
  ])('%s leads to %s', (code, target) => {
    expect(targetOf(code, names)).toBe(target);
  });
});

describe('the API reference', () => {
  const files = modulesOf(textOf);

  test('has each export of the package on exactly one page', () => {
    for (const source of new Set(referencePages.map((page) => page.source))) {
      const pages = files.filter(({ page }) => page.source === source && page.modules !== undefined);
      if (pages.length === 0) continue;
      const listed = pages.flatMap(({ code }) =>
        (/\{(.*)\}/.exec(code)?.[1] ?? '').split(',').map((name) => name.trim()),
      );
      const exported = exportsOf(textOf(source)).flatMap(({ names }) => names);
      expect(listed.toSorted()).toEqual(exported.toSorted());
    }
  });

  test('has a page for every entry of the package', () => {
    expect([...new Set(referencePages.map(({ entry }) => entry))].toSorted()).toEqual(
      packageEntries.map(({ name }) => `corridor-sdk${name.slice(1)}`).toSorted(),
    );
  });

  test('has the main export of a page first, with methods as the only headings below types', () => {
    const text = '## A {#a}\n\n### Methods\n\n#### f() {#a-f}\n\n##### Returns\n\nb\n\n***\n\n## B {#b}\n\nText.\n';
    const page = { path: 'x', title: 'X', entry: 'corridor-sdk', source: '', description: 'Of X.', main: 'B' };
    expect(arrange(text, page)).toBe(
      '# X {#about}\n\nOf X. Import from `corridor-sdk`.\n\n## B {#b}\n\nText.\n\n## A {#a}\n\n### f() {#a-f}\n\n**Returns**\n\nb\n',
    );
  });
});

describe('the page of an endpoint', () => {
  test('has the call, the fields with their rules, the errors, and the response of the mock', async () => {
    const openapi = JSON.parse(textOf('docs/openapi.json')) as OpenApi;
    const { text, path } = endpointPage(
      'payments.create',
      'corridor.payments.create(payment)',
      await exampleOf('payments.create'),
      openapi,
    );

    expect(path).toBe('endpoints/payments-create');
    expect(text).toContain('Call: `corridor.payments.create(payment)`');
    expect(text).toContain('- **`memo`** *string or null, optional*');
    expect(text).toMatch(/At most 64 characters\./);
    expect(text).toContain('| 401 | `AuthenticationError` |');
    expect(text).toContain('"status": "PENDING_REVIEW"');
    expect(text).toContain('curl -X POST "$CORRIDOR_BASE_URL/api/v1/payment"');
  });
});

describe('the table of what errors mean for money', () => {
  test('has every code that says more than its outcome, and only codes and pages that exist', () => {
    const codes = [...textOf('docs/errors.md').matchAll(/^\| `\w+` \| `([\w-]+)` \|/gm)].map(([, code]) => code);
    const named = decisions.flatMap(({ sign }) => [...sign.matchAll(/code is '([\w-]+)'/g)].map(([, code]) => code));
    expect(codes).toEqual(expect.arrayContaining(named));
    expect(new Set(named)).toEqual(
      new Set(['duplicate-payment', 'payment-mismatch', 'payment-outcome-unknown', 'wait-timeout', 'lease-lost']),
    );
    for (const { link } of decisions)
      expect(pages.map(({ path }) => `/${sitePath(path)}`)).toContain(link.split('#')[0]);
  });

  test('never says that there is no payment after a search for one, or after a write of request()', () => {
    const searches = decisions.filter(({ call }) => call === 'reconcile');
    expect(searches.map(({ sign, risk }) => [sign, risk])).toEqual([
      ["code is 'duplicate-payment'", 'yes'],
      ["code is 'payment-mismatch'", 'yes'],
      ['code is any other', 'maybe'],
    ]);
    expect(decisions.find(({ sign }) => sign.includes('request()'))).toMatchObject({ call: 'write', risk: 'maybe' });
  });

  test('covers every outcome of a call that creates a payment', () => {
    const covered = decisions.filter(({ call }) => call === 'create').map(({ sign }) => sign);
    for (const outcome of ['not-sent', 'rejected', 'unknown', 'applied'])
      expect(covered.some((sign) => sign.startsWith(`outcome is '${outcome}'`))).toBe(true);
  });
});

describe('the search for broken links', () => {
  const site = (html: string, other = '') =>
    brokenLinks(
      [
        { path: 'a/b.html', html },
        { path: 'c.html', html: other },
      ],
      (path) => ['a/b.html', 'c.html', 'assets/style.css'].includes(path),
    );

  test('reports missing files and anchors', () => {
    expect(site('<a href="nowhere.html">')).toEqual(['a/b.html: nowhere.html does not exist']);
    expect(site('<img src="../x.png">')).toHaveLength(1);
    expect(site('<a href="../c.html#there">')).toEqual(['a/b.html: ../c.html#there has no matching anchor']);
    expect(site('<a href="#there">')).toHaveLength(1);
  });

  test('knows links from the root and to folders', () => {
    expect(site('<a href="/c.html"><a href="/a/">')).toEqual(['a/b.html: /a/ does not exist']);
  });

  test('accepts existing targets and external links', () => {
    expect(
      site(
        '<a href="../c.html#there?"><a href="../assets/style.css?1"><a href="https://example.com/"><a href="mailto:a@b"><a href="#x"><p id="x">',
        '<h2 id="there?">',
      ),
    ).toEqual([]);
  });
});

describe('the texts for language models', () => {
  test('name every page', () => {
    const list = llmsList(pages, 'A client.');
    expect(pages.filter(({ path, title }) => !list.includes(`- [${title}](markdown/${path}): `))).toEqual([]);
    expect(list.startsWith('# corridor-sdk\n\n> A client.\n')).toBe(true);
  });

  test('have pages that exist only on the site as plain markdown', () => {
    const text =
      '# A\n\n::: code-group\n\n```sh [curl]\ncurl\n```\n\n:::\n\n<Tool />\n\n[a](/errors.md#b), [c](/money.md), [d](https://e.example/)\n';
    expect(plainMarkdown('endpoints/a.md', text)).toBe(
      '# A\n\n```sh\ncurl\n```\n\n[a](../docs/errors.md#b), [c](../money.md), [d](https://e.example/)\n',
    );
  });

  test('contain every page', () => {
    const text = llmsText(pages, textOf);
    expect(pages.filter(({ path }) => !text.includes(textOf(path).trim()))).toEqual([]);
  });
});
