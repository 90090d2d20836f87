import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { contents, pagesIn } from '../../scripts/site/contents.ts';
import { brokenLinks } from '../../scripts/site/link-check.ts';
import { llmsList, llmsText } from '../../scripts/site/llms.ts';
import { linkNames, unlinkedCalls } from '../../scripts/site/names.ts';
import { stagedPages } from '../../scripts/site/stage.ts';
import { read } from '../repository/tree.js';

const pages = contents('');
const textOf = (path: string): string => read(path).text;

describe('the list of pages', () => {
  test('has every document of docs, and those of the root', () => {
    const documents = readdirSync('docs', { recursive: true, encoding: 'utf8' }).map((path) => path.replaceAll('\\', '/')).filter((path) => path.endsWith('.md') && path !== 'README.md');
    const expected = [...documents.map((path) => `docs/${path}`), ...readdirSync('.').filter((path) => path.endsWith('.md') && path !== 'README.md'), 'examples/README.md'];
    expect(pages.map(({ path }) => path).toSorted()).toEqual(expected.toSorted());
  });

  test('gives each a title of its own and a line of what it is for', () => {
    expect(new Set(pages.map(({ title }) => title)).size).toBe(pages.length);
    expect(pagesIn('# All\n\n## Start\n\n- [Begin](a/b.md): with this\n', 'docs')).toEqual([{ path: 'docs/a/b.md', title: 'Begin', summary: 'with this', group: 'Start' }]);
  });
});

describe('a page of the site', () => {
  const page = (path: string) => ({ path, title: 'A: "page"', summary: 'of', group: 'Use' });

  test('has its title and its group', () => {
    expect(stagedPages([page('docs/a.md')], () => '# A\n\nText.\n')).toEqual([{ path: 'docs/a.md', text: '---\ntitle: "A: \\"page\\""\ngroup: "Use"\n---\n\n# A\n\nText.\n' }]);
  });

  test('leads to pages of code where the document leads to code', () => {
    const staged = stagedPages([page('docs/a.md'), page('examples/README.md')], (path) =>
      path.endsWith('.ts') ? 'const a = 1;\n' : path === 'docs/a.md' ? 'See [one](../examples/one.ts) and [test](../test/a/b.test.ts).' : '[one](one.ts)');

    expect(staged.map(({ path }) => path)).toEqual(['docs/a.md', 'examples/README.md', 'test/README.md', 'examples/one.md', 'test/a/b.test.md']);
    expect(staged[0]?.text).toContain('[one](../examples/one.md)');
    expect(staged[1]?.text).toContain('children:\n  - "one.md"');
    expect(staged[3]?.text).toContain('```ts\nconst a = 1;\n```');
  });
});

describe('names in the text of a page', () => {
  const names = new Map([['Customer', 'customer'], ['CryptoNetwork', 'network'], ['PaymentCreate', 'order'], ['corridor.payments.create', 'create'], ['customers.get', 'get']]);
  const linkedHtml = (text: string): string => linkNames(`<div class="tsd-panel tsd-typography">${text}`, names, (target) => `#${target}`);
  const linked = (text: string): string[] => [...linkedHtml(text).matchAll(/<a href="#(.+?)"><code>/g)].map(([, name = '']) => name);

  test('lead to types and calls', () => {
    expect(linked('<code>PaymentCreate</code> <code>PageRequest&lt;Customer&gt;</code> <code>readonly CryptoNetwork[]</code>')).toEqual(['order', 'customer', 'network']);
    expect(linked('<code>corridor.payments.create(payment)</code> <code>customers.get</code>')).toEqual(['create', 'get']);
  });

  test('lead nowhere in code blocks, titles and links, and where they name nothing', () => {
    expect(linked('<pre><code>Customer</code></pre><a href="a"><code>Customer</code></a><h2><code>Customer</code></h2><code>nobody</code>')).toEqual([]);
  });

  test('that are calls of nobody are found', () => {
    expect(unlinkedCalls(linkedHtml('<td><code>corridor.payments.create(payment)</code></td><td><code>corridor.payments.creat(payment)</code></td>'))).toEqual(['corridor.payments.creat']);
  });
});

describe('the search for broken links', () => {
  const site = (html: string, other = '') => brokenLinks([{ path: 'a/b.html', html }, { path: 'c.html', html: other }], (path) => ['a/b.html', 'c.html', 'assets/style.css'].includes(path));

  test('finds files and places that are not there', () => {
    expect(site('<a href="nowhere.html">')).toEqual(['a/b.html: nowhere.html is not there']);
    expect(site('<img src="../x.png">')).toHaveLength(1);
    expect(site('<a href="../c.html#there">')).toEqual(['a/b.html: ../c.html#there leads to no place of that page']);
    expect(site('<a href="#there">')).toHaveLength(1);
  });

  test('takes what is there, and what is elsewhere', () => {
    expect(site('<a href="../c.html#there?"><a href="../assets/style.css?1"><a href="https://example.com/"><a href="mailto:a@b"><a href="#x"><p id="x">', '<h2 id="there?">')).toEqual([]);
  });
});

describe('the texts for programs that read', () => {
  test('name every page', () => {
    const list = llmsList(pages, 'A client.');
    expect(pages.filter(({ path, title }) => !list.includes(`- [${title}](markdown/${path}): `))).toEqual([]);
    expect(list.startsWith('# corridor-sdk\n\n> A client.\n')).toBe(true);
  });

  test('hold every page', () => {
    const text = llmsText(pages, textOf);
    expect(pages.filter(({ path }) => !text.includes(textOf(path).trim()))).toEqual([]);
  });
});
