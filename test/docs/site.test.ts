import { readdirSync } from 'node:fs';
import { posix } from 'node:path';
import { describe, expect, test } from 'vitest';
import { packageEntries } from '../../scripts/package/entries.ts';
import { contents } from '../../scripts/site/contents.ts';
import { exampleOf } from '../../scripts/site/endpoints/examples.ts';
import { endpointPage, type OpenApi } from '../../scripts/site/endpoints/pages.ts';
import { llmsList, llmsText } from '../../scripts/site/llms.ts';
import { localLinks } from '../../scripts/site/local-links.ts';
import { addressesOf, footerOf } from '../../scripts/site/navigation.ts';
import { withAddresses } from '../../scripts/package/publish-addresses.ts';
import { exportsOf, modulesOf, referencePages } from '../../scripts/site/reference/pages.ts';
import { sitePath } from '../../scripts/site/site-path.ts';
import { decisions } from '../../scripts/site/vitepress/decisions.ts';
import { read } from '../../scripts/repository/tree.ts';

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
});

describe('the page of an endpoint', () => {
  test('has the call, the fields with their rules, the errors, and the response of the mock', async () => {
    const openapi = JSON.parse(textOf('docs/openapi.json')) as OpenApi;
    const { text, path } = endpointPage(
      'payments.create',
      { call: '`corridor.payments.create(payment)`', guides: '[pay](/cookbook/payments.md)' },
      await exampleOf('payments.create'),
      openapi,
    );

    expect(path).toBe('endpoints/payments-create');
    expect(text).toContain('Call: `corridor.payments.create(payment)`\n\nGuide: [pay](/cookbook/payments.md)\n');
    expect(text).toContain("await corridor.payments.createOnce({\n  customerId: 'cus_1',");
    expect(text).toContain("}, { idempotencyKey: 'order-4711' });");
    expect(text).toContain('- **`memo`** *string or null, optional, ');
    expect(text).toContain('A note of at most 64 characters.');
    expect(text).toContain('- **`customerId`** *string, as in [Request](#request)*');
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
      new Set(['duplicate-payment', 'payment-mismatch', 'payment-outcome-unknown', 'wait-timeout']),
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

describe('the texts for language models', () => {
  test('name every page', () => {
    const list = llmsList(pages, 'A client.');
    expect(pages.filter(({ path, title }) => !list.includes(`- [${title}](markdown/${path}): `))).toEqual([]);
    expect(list.startsWith('# corridor-sdk\n\n> A client.\n')).toBe(true);
  });

  test('contain every page', () => {
    const text = llmsText(pages, textOf);
    expect(pages.filter(({ path }) => !text.includes(textOf(path).trim()))).toEqual([]);
  });
});

test('the footer of a release links to the package, its repository and its issues', () => {
  const manifest = withAddresses(textOf('package.json'), 'https://github.com/acme/corridor-sdk');
  const footer = footerOf(JSON.parse(manifest) as Parameters<typeof footerOf>[0]);
  expect([...footer.matchAll(/href="(https:[^"]+)"/g)].map(([, href]) => href)).toEqual([
    'https://www.npmjs.com/package/corridor-sdk',
    'https://github.com/acme/corridor-sdk',
    'https://github.com/acme/corridor-sdk/issues',
  ]);
});

test.each([
  ['index.md', 'https://docs.example.com/'],
  ['errors.md', 'https://docs.example.com/errors.html'],
  ['reference/index.md', 'https://docs.example.com/reference/'],
])('the address of %s is below that of the site', (path, page) => {
  for (const url of ['https://docs.example.com', 'https://docs.example.com/'])
    expect(addressesOf(url, path)).toEqual({ page, image: 'https://docs.example.com/images/console-requests.png' });
});
