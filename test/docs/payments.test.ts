import { expect, test } from 'vitest';
import { everything } from '../../scripts/repository/tree.ts';
import { snippetsOfDocument, snippetsOfSource, type Snippet } from './read-snippets.ts';

/** The arguments of each call of a method. */
function callsOf(method: string, { at, code }: Snippet): string[] {
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
  .filter(({ path }) => /^(?:README|AGENTS|docs\/.*)\.md$|^src\/.*\.ts$/.test(path))
  .flatMap(({ path, text }) => (path.endsWith('.md') ? snippetsOfDocument(path, text) : snippetsOfSource(path, text)));

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
