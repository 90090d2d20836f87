import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { everything, parse, type SourceFile } from './tree.js';

interface Word {
  readonly word: string;
  /** Matches the word with its inflections. */
  readonly pattern: RegExp;
  /** How often it may occur per 10,000 words. */
  readonly limit: number;
  readonly instead: string;
}

// Comparable SDKs use these words rarely. In excess they make texts hard to read, because they replace precise terms.
const words: readonly Word[] = [
  { word: 'answer', pattern: /\banswer(?:s|ed|ing)?\b/gi, limit: 4, instead: 'response or handler' },
  { word: 'where', pattern: /\bwhere\b/gi, limit: 16, instead: 'if or when, unless it is a place' },
  { word: 'what', pattern: /\bwhat (?:is|the|it)\b/gi, limit: 9, instead: 'the name of the thing' },
  { word: 'tell', pattern: /\b(?:tells?|telling|told)\b/gi, limit: 4, instead: 'report or return' },
  { word: 'stand', pattern: /\b(?:stands?|standing|stood)\b/gi, limit: 2, instead: 'be or contain' },
  { word: 'none', pattern: /\bnone\b/gi, limit: 6, instead: 'no or not' },
  { word: 'refuse', pattern: /\brefus(?:es?|ed|ing|als?)\b/gi, limit: 6, instead: 'reject, throw or error' },
  { word: 'give', pattern: /\b(?:gives?|giving|gave|given)\b/gi, limit: 10, instead: 'return or pass' },
  { word: 'mend', pattern: /\bmend(?:s|ed|ing)?\b/gi, limit: 0, instead: 'fix' },
];

/** Removes code, wire names and addresses, which may use any word. */
function proseOf(text: string): string {
  return text
    .replace(/^( *)(```+)[^]*?^\1\2 *$/gm, ' ')
    .replace(/`[^`]*`/g, ' ')
    .replace(/\]\([^)]*\)|https?:\S+/g, ' ');
}

/** Returns the comments of a file, without examples and defaults, which are code. */
function commentsOf(file: SourceFile): string[] {
  const tree = parse(file);
  const found = new Map<number, string>();
  const visit = (node: ts.Node): void => {
    const ranges = [
      ...(ts.getLeadingCommentRanges(file.text, node.pos) ?? []),
      ...(ts.getTrailingCommentRanges(file.text, node.end) ?? []),
    ];
    for (const { pos, end } of ranges) found.set(pos, file.text.slice(pos, end));
    for (const child of node.getChildren(tree)) visit(child);
  };
  visit(tree);
  return [...found.values()].map((text) => text.replace(/^\s*\/?\*+/gm, '').replace(/@default \S+/g, ''));
}

/** Returns the messages of a file: its strings of several words, with expressions as `…`. */
function messagesOf(file: SourceFile): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return;
    if (ts.isStringLiteralLike(node)) found.push(node.text);
    if (ts.isTemplateExpression(node))
      found.push([node.head, ...node.templateSpans.map(({ literal }) => literal)].map(({ text }) => text).join(' … '));
    ts.forEachChild(node, visit);
  };
  visit(parse(file));
  return found.filter((text) => /[a-z] [a-z]/i.test(text) && !isSql(text));
}

const isSql = (text: string): boolean => /^\s*(?:create|insert|update|select|delete|with|pragma|begin) /.test(text);

/** Returns the words that texts use too often, each with its rate. */
function overused(texts: readonly string[]): string[] {
  const prose = texts.map(proseOf).join('\n\n');
  const total = prose.match(/[a-z][\w'’-]*/gi)?.length ?? 0;
  return words.flatMap(({ word, pattern, limit, instead }) => {
    const rate = ((prose.match(pattern)?.length ?? 0) * 10_000) / total;
    return rate > limit ? [`${word}: ${rate.toFixed(1)} per 10,000 words (limit ${limit}); use ${instead}`] : [];
  });
}

const files = everything();
// The specification is the platform's text, and the changelog and API reports are generated.
const documents = files.filter(
  ({ path }) => path.endsWith('.md') && !/^(?:CHANGELOG|docs\/platform-specification)\.md$|^docs\/api\//.test(path),
);
const code = files.filter(({ path }) => /^(?:src|test|examples|scripts|bench)\/.*\.[cm]?[jt]s$/.test(path));

describe('words are not overused', () => {
  test.each([
    ['src', /^src\//],
    ['tests', /^test\//],
    ['examples, scripts and benchmarks', /^(?:examples|scripts|bench)\//],
  ])('in comments of %s', (_, folder) => {
    expect(overused(code.filter(({ path }) => folder.test(path)).flatMap(commentsOf))).toEqual([]);
  });

  test('in messages', () => {
    expect(overused(code.filter(({ path }) => path.startsWith('src/')).flatMap(messagesOf))).toEqual([]);
  });

  test('in documents', () => {
    expect(overused(documents.map(({ text }) => text))).toEqual([]);
  });
});

describe('an overused word is found', () => {
  const filler = 'The client sends a request and returns the response. '.repeat(20);

  test.each(['answers', 'where', 'what is', 'told', 'stands', 'none', 'refusal', 'given', 'mended'])('%s', (word) => {
    expect(overused([`${filler} ${word}`])).toHaveLength(1);
  });

  test('in a comment and in a message', () => {
    const file = { path: 'src/probe.ts', text: `// ${filler} told\nconst a = \`${filler} stood \${b} mended\`;` };
    expect(overused(commentsOf(file))).toEqual([expect.stringMatching(/^tell: /)]);
    expect(overused(messagesOf(file))).toEqual([expect.stringMatching(/^stand: /), expect.stringMatching(/^mend: /)]);
  });

  test('but not in code, addresses, examples and defaults', () => {
    const file = { path: 'src/probe.ts', text: `/** ${filler} \`told\` https://told.example/ @default none */` };
    expect(overused(commentsOf(file))).toEqual([]);
    expect(overused([`${filler}\n\`\`\`ts\n// told\n\`\`\`\n[page](told.md)`])).toEqual([]);
  });
});
