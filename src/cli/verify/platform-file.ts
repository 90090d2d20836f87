import { access, constants } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Dialect } from '../../index.js';
import { createMockPlatform, type MeasuredBehavior, type MeasuredPlatform } from '../../mock/index.js';
import type { Measured, SettingPath } from '../../mock/upstream/probes.js';
import { CommandError } from '../command.js';
import { readTextIfExists, replaceFile } from '../files.js';

/** The parts of the file that contain settings. */
type Settings = Pick<MeasuredPlatform, 'dialect' | 'behavior'>;

type Values = Readonly<Record<string, unknown>>;

/** Returns the settings of a file by their paths. */
function settingsIn({ dialect = {}, behavior = {} }: Settings = {}): Measured {
  const { errorStatuses = {}, ...others } = behavior;
  const withPrefix = (prefix: string, values: object): Values =>
    Object.fromEntries(Object.entries(values as Values).map(([name, value]) => [`${prefix}.${name}`, value]));
  return {
    ...withPrefix('dialect', dialect),
    ...withPrefix('behavior', others),
    ...withPrefix('behavior.errorStatuses', errorStatuses),
  };
}

/** Returns the parts of a file with settings; those that are undefined are left out. */
function fileWith(measured: Measured): { readonly dialect: Dialect; readonly behavior: MeasuredBehavior } {
  const file = { dialect: {}, behavior: {} };
  const parts: Record<string, Record<string, unknown>> = file;
  for (const [path, value] of Object.entries(measured)) {
    const [part = '', name = '', key] = path.split('.');
    const values = parts[part];
    if (value === undefined || values === undefined) continue;
    values[name] = key === undefined ? value : { ...(values[name] as Values | undefined), [key]: value };
  }
  return file;
}

/**
 * Checks whether client and mock accept a value of a setting: a platform can behave in a way that they have no setting
 * for.
 */
export function isPossible(setting: SettingPath, value: unknown): boolean {
  try {
    createMockPlatform({ platform: fileWith({ [setting]: value }) });
    return true;
  } catch {
    return false;
  }
}

/** The verdict about an assumption. */
export type Verdict = 'confirmed' | 'contradicted' | 'not testable';

/** What a run measured about an assumption. */
export interface Measurement {
  /** The row, such as `A-11`. */
  readonly row: string;
  readonly question: string;
  readonly verdict: Verdict;
  readonly measured: Measured;
  /** Whether it saw samples only, so that a contradiction that is absent from a later run is no change. */
  readonly isSample: boolean;
}

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
    throw new CommandError(`${path} is not a platform file: ${reason}. Pass another file, or delete it`);
  }
}

/** Returns the file after a run: what the run did not test keeps its recorded value. */
export function updatePlatformFile(recorded: PlatformFile | undefined, results: readonly Measurement[]): PlatformFile {
  const rows = { ...recorded?.rows };
  let settings = settingsIn(recorded);
  for (const result of results) {
    if (result.verdict === 'not testable' || compareWith(recorded, result) === 'recorded') continue;
    rows[keyOf(result)] = result.verdict;
    settings = { ...settings, ...result.measured };
  }
  return { version: 1, ...fileWith(settings), rows };
}

/** Returns the key of a result in the file. */
const keyOf = ({ row, question }: Measurement): string => `${row}: ${question}`;

/** How a result compares with the file: `new` if the file does not have its row. */
export type Comparison = 'new' | 'recorded' | 'changed';

/** Compares a result with the file. */
export function compareWith(recorded: PlatformFile | undefined, result: Measurement): Comparison {
  const { verdict, measured, isSample } = result;
  const before = recorded?.rows[keyOf(result)];
  if (before === undefined || verdict === 'not testable') return 'new';
  const settings: Readonly<Record<string, unknown>> = settingsIn(recorded);
  const isSame = Object.entries(measured).every(([path, value]) =>
    path === 'behavior.listLag'
      ? isSimilarLag(settings[path], value)
      : JSON.stringify(settings[path]) === JSON.stringify(value),
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

/** Compares measurements of the lag, which varies from run to run. */
function isSimilarLag(before: unknown, after: unknown): boolean {
  const [old, now] = [before, after].map((lag) => Number((Object(lag) as { readonly seconds?: number }).seconds));
  return before === after || (Number(old) <= 3 * Number(now) && Number(now) <= 3 * Number(old));
}
