import { expect, test } from 'vitest';
import { everything } from '../../scripts/repository/tree.ts';
import { snippetsOfDocument, snippetsOfSource, type Snippet } from './read-snippets.ts';

/** The arguments of each call of a method. */
function callsOf(method: string, { at, code }: Pick<Snippet, 'at' | 'code'>): string[] {
  return code
    .split(`.${method}(`)
    .slice(1)
    .map((rest) => {
      let depth = 1;
      const end = [...rest].findIndex((character) => {
        depth += character === '(' ? 1 : character === ')' ? -1 : 0;
        return depth === 0;
      });
      return `${at}: ${rest.slice(0, end)}`;
    });
}

const snippets = everything()
  .filter(({ path }) =>
    /^(?:README|AGENTS|docs\/.*|scripts\/site\/pages\/.*)\.md$|^(?:src|examples)\/.*\.ts$/.test(path),
  )
  .flatMap(({ path, text }) => {
    if (path.endsWith('.md')) return snippetsOfDocument(path, text);
    return path.startsWith('src/') ? snippetsOfSource(path, text) : [{ at: path, code: text }];
  });

test('no snippet pays without an idempotency key', () => {
  const calls = snippets.flatMap((snippet) => callsOf('createOnce', snippet));
  expect(calls.length).toBeGreaterThan(10);
  expect(calls.filter((call) => !call.includes('idempotencyKey'))).toEqual([]);
});

test('no guide pays with create, except the one that shows the rules of the mock', () => {
  const guides = snippets.filter(({ at }) => !at.startsWith('src/'));
  const calls = guides.flatMap((snippet) => callsOf('payments.create', snippet));
  expect(calls.filter((call) => !call.startsWith('docs/testing.md'))).toEqual([]);
});

test('no page and no printed text runs npx with the name of the command, which is that of another package', () => {
  const lines = everything()
    .filter(({ path }) => /^(?:(?:docs|examples|src|scripts\/site|\.github)\/|[^/]+\.md$)/.test(path))
    .flatMap(({ path, text }) => text.split('\n').map((line) => `${path}: ${line.trim()}`))
    .filter((line) => /\bnpx (?:--?\S+ )*corridor(?!-sdk)/.test(line));
  expect(lines).toEqual([
    expect.stringContaining('CHANGELOG.md: - The package is named in commands'),
    expect.stringContaining('Do not run `npx corridor`'),
  ]);
});
