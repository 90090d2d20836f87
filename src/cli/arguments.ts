import { parseArgs } from 'node:util';
import { UsageError } from './command.js';
import { nearest } from './nearest.js';
import { aligned } from './text.js';

/** An option of a command. */
export interface Option {
  /** What stands for its value in the help, such as `<file>`; absent where it takes none. */
  readonly value?: string;
  /** What it does, in a line. */
  readonly about: string;
}

/** The options of a command, by name. */
export type Options = Readonly<Record<string, Option>>;

/** The words of a command line, taken apart. */
export interface Arguments<O extends Options> {
  /** The words that belong to no option. */
  readonly words: readonly string[];
  /** Whether an option stands there. */
  has(name: keyof O): boolean;
  /** The value of an option. */
  value(name: keyof O): string | undefined;
}

/** Takes a command line apart. Throws `UsageError` where it does not fit the options. */
export function parseArguments<O extends Options>(words: readonly string[], options: O): Arguments<O> {
  const { tokens, positionals } = parseArgs({ args: [...words], options: kindsOf(options), strict: false, tokens: true });
  const given = new Map<keyof O, string | undefined>();
  for (const token of tokens) {
    if (token.kind !== 'option') continue;
    const { name, rawName, value, inlineValue } = token;
    const option = Object.hasOwn(options, name) ? options[name] : undefined;
    if (option === undefined) throw new UsageError(`there is no option ${rawName}${nearest(name, Object.keys(options), '--')}`);
    if (option.value === undefined && value !== undefined) throw new UsageError(`${rawName} takes no value`);
    if (option.value !== undefined && (value === undefined || value === '')) throw new UsageError(`${rawName} wants a value: ${rawName} ${option.value}`);
    // Whoever forgets a value shall not get a folder named after the next option.
    if (inlineValue === false && value.startsWith('--')) throw new UsageError(`${rawName} wants a value: ${rawName} ${option.value} (one that begins with -- is given as ${rawName}=…)`);
    given.set(name, value);
  }
  return { words: positionals, has: (name) => given.has(name), value: (name) => given.get(name) };
}

/** The words that belong to no option, of a command line that need not fit. */
export function wordsAmong(words: readonly string[], options: Options): readonly string[] {
  return parseArgs({ args: [...words], options: kindsOf(options), strict: false }).positionals;
}

/** What Node's parser must know of the options. */
function kindsOf(options: Options): Record<string, { readonly type: 'boolean' | 'string' }> {
  return Object.fromEntries(Object.entries(options).map(([name, { value }]) => [name, { type: value === undefined ? 'boolean' : 'string' }]));
}

/** Refuses words that a command has no use for. */
export function refuseWords(words: readonly string[]): void {
  const [word] = words;
  if (word !== undefined) throw new UsageError(`there is no use for "${word}" here`);
}

/** The value of an option as a whole number. Throws `UsageError` where it is none. */
export function wholeNumber(name: string, text: string, smallest: number, largest = Number.MAX_SAFE_INTEGER): number {
  const number = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= smallest && number <= largest) return number;
  throw new UsageError(`--${name} wants a whole number ${largest === Number.MAX_SAFE_INTEGER ? `of ${smallest} or more` : `from ${smallest} to ${largest}`}`);
}

/** The options as lines of a help. */
export function optionLines(options: Options): string {
  const rows = Object.entries(options).map(([name, { value, about }]): readonly [string, string] => [`--${name}${value === undefined ? '' : ` ${value}`}`, about]);
  return aligned([...rows, ['--help', 'prints this']]);
}
