import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { UsageError, type Option, type Options } from './command.js';
import { suggestSimilar } from '../contract/suggest.js';
import { alignColumns } from './print/text.js';

/** A parsed command line. */
export interface Arguments<O extends Options> {
  /** The arguments that belong to no option. */
  readonly positionals: readonly string[];
  /** Checks whether an option was passed. */
  has(name: keyof O): boolean;
  /** Returns the value of an option; undefined if the option was not passed. */
  value(name: keyof O): string | undefined;
  /** Returns the values of an option that can be repeated, in order. */
  values(name: keyof O): readonly string[];
}

/** Parses a command line. Throws `UsageError` if it does not match the options. */
export function parseArguments<O extends Options>(argv: readonly string[], options: O): Arguments<O> {
  const { tokens, positionals } = parseArgs({
    args: [...argv],
    options: kindsOf(options),
    strict: false,
    tokens: true,
  });
  const values = new Map<keyof O, readonly string[]>();
  for (const token of tokens) {
    if (token.kind !== 'option') continue;
    const { name, rawName, value, inlineValue } = token;
    const option = Object.hasOwn(options, name) ? options[name] : undefined;
    if (option === undefined)
      throw new UsageError(`unknown option ${rawName}${suggestSimilar(name, Object.keys(options), '--')}`);
    if (option.value === undefined && value !== undefined) throw new UsageError(`${rawName} takes no value`);
    const isMissing = value === undefined ? option.isOptional !== true : value === '';
    if (option.value !== undefined && isMissing)
      throw new UsageError(`${rawName} requires a value: ${rawName} ${option.value}`);
    // Without this guard, a missing value would swallow the next option.
    if (inlineValue === false && value.startsWith('--'))
      throw new UsageError(
        `${rawName} requires a value: ${rawName} ${option.value} (pass a value that begins with -- as ${rawName}=…)`,
      );
    values.set(name, [...(values.get(name) ?? []), ...(value === undefined ? [] : [value])]);
  }
  return {
    positionals,
    has: (name) => values.has(name),
    value: (name) => values.get(name)?.at(-1),
    values: (name) => values.get(name) ?? [],
  };
}

/** Returns the arguments that belong to no option, without validating the options. */
export function positionalsAmong(argv: readonly string[], options: Options): readonly string[] {
  return parseArgs({ args: [...argv], options: kindsOf(options), strict: false }).positionals;
}

/** Returns the value of an option, without validating the others. */
export function optionValue(argv: readonly string[], options: Options, name: string): string | undefined {
  const value = parseArgs({ args: [...argv], options: kindsOf(options), strict: false }).values[name];
  return typeof value === 'string' ? value : undefined;
}

/** Converts the options for Node's parser. */
function kindsOf(options: Options): Record<string, { readonly type: 'boolean' | 'string' }> {
  return Object.fromEntries(
    Object.entries(options).map(([name, { value, isOptional }]) => [
      name,
      { type: value === undefined || isOptional === true ? 'boolean' : 'string' },
    ]),
  );
}

/** Returns the action of a command that has several. Throws `UsageError` if it is missing or unknown. */
export function selectAction<T>(actions: Readonly<Record<string, T>>, name = ''): T {
  const names = Object.keys(actions);
  const action = Object.hasOwn(actions, name) ? actions[name] : undefined;
  if (action !== undefined) return action;
  throw new UsageError(
    name === ''
      ? `the action is missing. Pass ${names.slice(0, -1).join(', ')} or ${names.at(-1)}`
      : `unknown action "${name}"${suggestSimilar(name, names)}`,
  );
}

/** Reads a file that the command line names; 0 is standard input. Throws `UsageError` if it cannot be read. */
export function readInput(source: string | 0, name = String(source)): string {
  try {
    return readFileSync(source, 'utf8');
  } catch (error) {
    throw new UsageError(`${name} cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}

/** Throws `UsageError` if a command without arguments was passed one. */
export function rejectArguments(argv: readonly string[]): void {
  const [argument] = argv;
  if (argument !== undefined) throw new UsageError(`unexpected argument "${argument}"`);
}

/** Throws `UsageError` if an option was passed that has no effect here. `owner` is what it applies to. */
export function rejectOptions<O extends Options>(args: Arguments<O>, names: readonly (keyof O)[], owner: string): void {
  const name = names.find((each) => args.has(each));
  if (name !== undefined) throw new UsageError(`--${String(name)} applies to ${owner} only; remove it`);
}

/** Returns the parts of the value of an option that are separated by commas. */
export function listOption<O extends Options>(args: Arguments<O>, name: keyof O): readonly string[] {
  const parts = (args.value(name) ?? '').split(',').map((part) => part.trim());
  return parts.filter((part) => part !== '');
}

/** The option beside `--status` for statuses that the platform has added since. */
export const unknownStatusOption = {
  'unknown-status': { value: '<names>', about: 'as --status, for statuses that this version does not know' },
} as const satisfies Options;

/** Returns the statuses of both options, as the client takes them: it rejects unknown ones that are not marked. */
export function statusesOf(
  args: Arguments<{ readonly status: Option } & typeof unknownStatusOption>,
): readonly (string | { readonly unknownValue: string })[] {
  return [
    ...listOption(args, 'status'),
    ...listOption(args, 'unknown-status').map((unknownValue) => ({ unknownValue })),
  ];
}

/** Parses the value of an option as an integer. Throws `UsageError` if it is not an integer or is out of range. */
export function integerOption(name: string, text: string, min: number, max = Number.MAX_SAFE_INTEGER): number {
  const number = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= min && number <= max) return number;
  throw new UsageError(
    `--${name} must be an integer ${max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`}`,
  );
}

/** Formats the options for a help text. */
export function optionLines(options: Options): string {
  const rows = Object.entries(options).map(([name, { value, isOptional, about }]): readonly [string, string] => [
    `--${name}${value === undefined ? '' : isOptional === true ? `[=${value}]` : ` ${value}`}`,
    about,
  ]);
  return alignColumns([...rows, ['--help', 'prints this help']]);
}
