import { parseArgs } from 'node:util';
import { settingIssue } from '../contract/setting.js';
import { UsageError, type Arguments, type Option, type Options } from './command.js';
import { readText } from './files.js';
import { suggestSimilar } from './suggest.js';
import { alignColumns } from './print/text.js';

/** Parses a command line. Throws `UsageError` if it does not match the options. */
export function parseArguments<O extends Options>(argv: readonly string[], options: O): Arguments<O> {
  const { tokens, positionals } = parseArgs({
    args: [...argv],
    options: Object.fromEntries(
      Object.entries(options).map(([name, { value }]) => [
        name,
        { type: value === undefined ? 'boolean' : 'string' } as const,
      ]),
    ),
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
    if (option.value !== undefined && (value ?? '') === '')
      throw new UsageError(`${rawName} requires a value: ${rawName} ${option.value}`);
    // Without this guard, a missing value would swallow the next option.
    if (inlineValue === false && value.startsWith('--'))
      throw new UsageError(
        `${rawName} requires a value: ${rawName} ${option.value} (pass a value that begins with -- as ${rawName}=…)`,
      );
    const issue = settingIssue(value, true);
    if (issue !== undefined) throw new UsageError(`${rawName} ${issue}`);
    values.set(name, [...(values.get(name) ?? []), ...(value === undefined ? [] : [value])]);
  }
  return {
    argv,
    positionals,
    has: (name) => values.has(name),
    value: (name) => values.get(name)?.at(-1),
    values: (name) => values.get(name) ?? [],
  };
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

export type JsonObject = Readonly<Record<string, unknown>>;

/**
 * Reads a JSON object: inline, as `@file`, or `-` for standard input. `name` is that of an inline one in errors. Throws
 * `UsageError`.
 */
export function readJsonObject(source: string, name = 'the JSON'): JsonObject {
  const origin = source === '-' ? 'standard input' : source.startsWith('@') ? source.slice(1) : name;
  const text = origin === name ? source : readText(source === '-' ? 0 : origin, origin);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    // Report only the position, not the text: the file may be a private key.
    const [, position] = /position (\d+)/.exec(String(error)) ?? [];
    throw new UsageError(
      `${origin} is not valid JSON${position === undefined ? '' : ` (at position ${position})`}` +
        `${origin === name ? '; check the quotes of your shell, or pass it as @file or on standard input (-)' : ''}`,
    );
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new UsageError(`${origin} must be a JSON object`);
  return value as JsonObject;
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

/**
 * Returns the statuses of both options, as the client takes them. Throws `UsageError` if one of `--status` is not
 * known.
 */
export function statusesOf<S extends string>(
  args: Arguments<{ readonly status: Option } & typeof unknownStatusOption>,
  known: readonly S[],
): readonly (S | { readonly unknownValue: string })[] {
  const statuses = listOption(args, 'status').map((name) => {
    const status = known.find((each) => each === name);
    if (status !== undefined) return status;
    throw new UsageError(
      `--status "${name}" is unknown. Pass one of ${known.join(', ')}, ` +
        'or --unknown-status if the platform has added it',
    );
  });
  return [...statuses, ...listOption(args, 'unknown-status').map((unknownValue) => ({ unknownValue }))];
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
  const rows = Object.entries(options).map(([name, { value, about }]): readonly [string, string] => [
    `--${name}${value === undefined ? '' : ` ${value}`}`,
    about,
  ]);
  return alignColumns([...rows, ['--help', 'prints this help']]);
}
