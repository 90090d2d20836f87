import { access, constants } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Dialect } from '../../index.js';
import { createMockPlatform, type MeasuredBehavior } from '../../mock/index.js';
import { CommandError } from '../command.js';
import { readTextIfExists, replaceFile } from '../files.js';
import { keyOf, type ProbeResult, type SettingPath, type Verdict } from './probe.js';

/** The content of `corridor.platform.json`. */
export interface PlatformFile {
  readonly version: 1;
  /** For the client and the mock. */
  readonly dialect: Dialect;
  /** For the mock. */
  readonly behavior: MeasuredBehavior;
  /** The verdicts, by row and question. */
  readonly rows: Readonly<Record<string, Exclude<Verdict, 'not testable'>>>;
}

/** Reads the file; undefined if it does not exist. Throws `CommandError` if its content is invalid. */
export function readPlatformFile(path: string): PlatformFile | undefined {
  const text = readTextIfExists(path);
  if (text === undefined) return undefined;
  try {
    const content = JSON.parse(text) as Partial<PlatformFile>;
    // The mock has the rules of both parts.
    createMockPlatform({ platform: content });
    return { version: 1, dialect: {}, behavior: {}, rows: {}, ...content };
  } catch (error) {
    const reason = error instanceof SyntaxError ? 'it is not valid JSON' : (error as Error).message;
    throw new CommandError(`${path} is not a platform file: ${reason}. Pass another file with --out, or delete it`);
  }
}

/** Returns the file after a run: what the run did not test keeps its recorded value. */
export function updatePlatformFile(recorded: PlatformFile | undefined, results: readonly ProbeResult[]): PlatformFile {
  const parts: Parts = structuredClone({ dialect: { ...recorded?.dialect }, behavior: { ...recorded?.behavior } });
  const rows = { ...recorded?.rows };
  for (const result of results) {
    if (result.verdict === 'not testable' || compareWith(recorded, result) === 'recorded') continue;
    rows[keyOf(result)] = result.verdict;
    for (const [setting, value] of Object.entries(result.measured)) setValue(parts, setting as SettingPath, value);
  }
  return { version: 1, ...parts, rows } as PlatformFile;
}

/** How a result compares with the file: `new` if the file does not have its row. */
export type Comparison = 'new' | 'recorded' | 'changed';

/** Compares a result with the file. */
export function compareWith(recorded: PlatformFile | undefined, result: ProbeResult): Comparison {
  const { verdict, measured, isSample } = result;
  const before = recorded?.rows[keyOf(result)];
  if (before === undefined || verdict === 'not testable') return 'new';
  const isSame = Object.entries(measured).every(([setting, value]) =>
    isClose(valueOf(recorded, setting as SettingPath), value, maxRatios[setting as SettingPath] ?? 1),
  );
  // What contradicted the assumption may be absent from this sample.
  const isSameVerdict = before === verdict || (isSample && verdict === 'confirmed');
  return isSameVerdict && isSame ? 'recorded' : 'changed';
}

/** Throws `CommandError` if no file can be written there, before a run uses up quotes. */
export async function assertWritable(path: string): Promise<void> {
  await access(dirname(path), constants.W_OK).catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(`${path} cannot be written (${error.code}); nothing was sent. Pass another file`);
  });
}

/** Writes a file, completely or not at all. Throws `CommandError`. */
export async function writeResults(path: string, text: string): Promise<void> {
  await replaceFile(path, text, 0o644).catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(`${path} cannot be written (${error.code}). Pass another file`);
  });
}

type Values = Record<string, unknown>;
type Parts = Record<'dialect' | 'behavior', Values>;

/** Splits the path of a setting: the key may contain dots, as the name of an endpoint does. */
function split(setting: SettingPath): readonly [part: keyof Parts, name: string, key: string | undefined] {
  const [part, name = '', ...key] = setting.split('.');
  return [part === 'dialect' ? 'dialect' : 'behavior', name, key.length === 0 ? undefined : key.join('.')];
}

function valueOf(parts: object | undefined, setting: SettingPath): unknown {
  const [part, name, key] = split(setting);
  const value = (parts as Partial<Parts> | undefined)?.[part]?.[name];
  return key === undefined ? value : (value as Values | undefined)?.[key];
}

function setValue(parts: Parts, setting: SettingPath, value: unknown): void {
  const [part, name, key] = split(setting);
  const changed = key === undefined ? value : withKey(parts[part][name] as Values | undefined, key, value);
  if (changed === undefined) delete parts[part][name];
  else parts[part][name] = changed;
}

function withKey(values: Values | undefined, key: string, value: unknown): Values | undefined {
  const changed = Object.entries({ ...values, [key]: value }).filter(([, each]) => each !== undefined);
  return changed.length === 0 ? undefined : Object.fromEntries(changed);
}

/** The largest ratio of two measurements of the same delay or limit, which vary from run to run. */
const maxRatios: Readonly<Partial<Record<SettingPath, number>>> = {
  'behavior.listLag': 3,
  'behavior.rateLimit': 1.5,
  'behavior.urlLifetime': 1.02,
  'behavior.receiptLifetime': 1.02,
};

function isClose(before: unknown, after: unknown, maxRatio: number): boolean {
  if (typeof before === 'number' && typeof after === 'number')
    return Math.max(before, after) <= maxRatio * Math.min(before, after);
  if (typeof before !== 'object' || typeof after !== 'object' || before === null || after === null)
    return before === after;
  const [old, now] = [before as Values, after as Values];
  return [...new Set([...Object.keys(old), ...Object.keys(now)])].every((name) =>
    isClose(old[name], now[name], maxRatio),
  );
}
