/** A piece of TypeScript in a document or in a docstring. */
export interface Snippet {
  /** Its location, such as `README.md:12`. */
  readonly at: string;
  /** The name of the file it is run as, without its ending. */
  readonly name: string;
  readonly code: string;
  /** How it runs: as a program or as a test. */
  readonly runner: 'module' | 'vitest' | 'node:test';
  /** Why it is compiled but not run; undefined if it is run. */
  readonly notRun: string | undefined;
}

/** A fenced block, of whatever language. */
export interface Fence {
  readonly line: number;
  /** The text after the backticks. */
  readonly info: string;
  readonly code: string;
}

/** The fenced blocks of a markdown document. */
export function fencesIn(markdown: string): Fence[] {
  return [...markdown.matchAll(/^( *)```([^\n`]*)\n([^]*?)^\1```$/gm)].map(
    ({ index, 1: indent = '', 2: info = '', 3: code = '' }) => ({
      line: markdown.slice(0, index).split('\n').length,
      info: info.trim(),
      code: code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    }),
  );
}

/** The snippets of a document: its blocks of `ts`, or of `ts no-run` and a reason. */
export function snippetsOfDocument(path: string, markdown: string): Snippet[] {
  return fencesIn(markdown).flatMap(({ line, info, code }) => {
    const [language = '', word = '', ...reason] = info.split(' ');
    if (language !== 'ts') return [];
    if (word !== '' && (word !== 'no-run' || reason.length < 3))
      throw new Error(`${path}:${line}: a block is "ts", or "ts no-run" and a reason`);
    const runner =
      (['vitest', 'node:test'] as const).find((name) => new RegExp(`from '${name}'`).test(code)) ?? 'module';
    const name = `${path.replaceAll(/\W+/g, '-')}-${line}`;
    return [{ at: `${path}:${line}`, name, code, runner, notRun: word === '' ? undefined : reason.join(' ') }];
  });
}

/** The snippets of a source file: those of its docstrings. Lines are kept, so that `at` leads to the source. */
export function snippetsOfSource(path: string, source: string): Snippet[] {
  const comments = source.replaceAll(/^.*$/gm, (line) => /^\s*\* ?(.*)$/.exec(line)?.[1] ?? '');
  return snippetsOfDocument(path, comments);
}

/** The expected output of a snippet: the comments after its `console.log` calls, in which `…` matches anything. */
export function promisedOutput({ code }: Snippet): RegExp[] {
  return [...code.matchAll(/console\.log\(.*\); *\/\/ (.+)$/gm)].map(([, text = '']) => {
    const parts = text
      .split(/ *… */)
      .map((part) => part.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`).replaceAll(/ +/g, ' +'));
    return new RegExp(`^${parts.join('.*')}$`, 'm');
  });
}
