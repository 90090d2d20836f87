import { check, type Diagnostics } from 'recheck';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { typescriptIn } from '../../scripts/repository/tree.ts';

// A pattern that takes more than linear time stops the event loop for as long as a platform or a partner's user likes:
// 256 KB took 20 s. recheck counts steps, by an automaton of the pattern or by a search for attacks with its own
// engine: nothing depends on the machine.

interface Pattern {
  /** The files that hold it, by line. */
  readonly places: readonly string[];
  readonly source: string;
  readonly flags: string;
}

/** Every pattern of src, once. */
function patternsOfSource(): Pattern[] {
  const found = new Map<string, string[]>();
  for (const { path, text } of typescriptIn('src')) {
    const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
    const visit = (node: ts.Node): void => {
      if (ts.isRegularExpressionLiteral(node))
        found.set(node.text, [
          ...(found.get(node.text) ?? []),
          `${path}:${file.getLineAndCharacterOfPosition(node.getStart()).line + 1}`,
        ]);
      ts.forEachChild(node, visit);
    };
    visit(file);
  }
  return [...found].map(([literal, places]) => {
    const end = literal.lastIndexOf('/');
    return { places, source: literal.slice(1, end), flags: literal.slice(end + 1) };
  });
}

/** Limited by steps only, so that a busy machine finds what an idle one does. */
const diagnose = (source: string, flags: string): Promise<Diagnostics> =>
  check(source, flags, {
    timeout: null,
    attackTimeout: null,
    incubationTimeout: null,
    seedingTimeout: null,
    attackLimit: 50_000_000,
  });

const patterns = patternsOfSource();

describe('every regular expression of src takes linear time', () => {
  test.each(patterns)(
    '/$source/$flags',
    async ({ source, flags, places }) => {
      const found = await diagnose(source, flags);
      expect({
        places,
        status: found.status,
        attack: found.status === 'vulnerable' ? found.attack.pattern : undefined,
      }).toEqual({ places, status: 'safe', attack: undefined });
    },
    // recheck counts many steps for patterns with large repetitions, and is slow without its native version.
    600_000,
  );

  // hostile-text.test.ts measures the patterns of secrets, for which recheck takes minutes.
  test('only patterns of amounts, times, secrets, headers, fields and paths are built from strings, which this test does not see', () => {
    expect(
      typescriptIn('src')
        .filter(({ text }) => /\bnew RegExp\(|[^.\w]RegExp\(/.test(text))
        .map(({ path }) => path),
    ).toEqual([
      'src/contract/http-date.ts',
      'src/contract/redact.ts',
      'src/contract/schema/payments.ts',
      'src/contract/schema/time.ts',
      'src/mock/faults/request-condition.ts',
      'src/mock/wire/route.ts',
      'src/transport/response.ts',
    ]);
  });
});
