import type { Dialect } from '../../index.js';
import { createMockPlatform, type MeasuredBehavior } from '../../mock/index.js';
import { settingAt, settingsWith, type Evidence } from '../../mock/upstream/evidence.js';
import type { Measured } from '../../mock/upstream/probes.js';
import { CommandError } from '../command.js';
import { readTextIfExists } from '../files.js';

type EvidenceRow = Evidence['rows'][number];

/** What exchanges show about an assumption. */
export interface Measurement extends Pick<EvidenceRow, 'key' | 'verdict' | 'measured'> {
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
  readonly rows: Readonly<Record<string, EvidenceRow['verdict']>>;
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
  const changed = results.filter((each) => each.verdict !== 'not seen' && compareWith(recorded, each) !== 'recorded');
  const rows = Object.fromEntries(changed.map(({ key, verdict }) => [key, verdict]));
  const measured = Object.assign({}, ...changed.map((each) => each.measured)) as Measured;
  return { version: 1, ...settingsWith(measured, recorded), rows: { ...recorded?.rows, ...rows } };
}

/** How a result compares with the file: `new` if the file does not have its row. */
export type Comparison = 'new' | 'recorded' | 'changed';

/** Compares a result with the file. */
export function compareWith(recorded: PlatformFile | undefined, result: Measurement): Comparison {
  const { key, verdict, measured, isSample } = result;
  const before = recorded?.rows[key];
  if (before === undefined || verdict === 'not seen') return 'new';
  const isSame = Object.entries(measured).every(([path, value]) => {
    const setting = settingAt(recorded ?? {}, path);
    return path === 'behavior.listLag'
      ? isSimilarLag(setting, value)
      : JSON.stringify(setting) === JSON.stringify(value);
  });
  // What contradicted the assumption may be absent from this sample.
  const isSameVerdict = before === verdict || (isSample && verdict === 'confirmed');
  return isSameVerdict && isSame ? 'recorded' : 'changed';
}

/** Compares measurements of the lag, which varies from run to run. */
function isSimilarLag(before: unknown, after: unknown): boolean {
  const [old, now] = [before, after].map((lag) => Number((Object(lag) as { readonly seconds?: number }).seconds));
  return before === after || (Number(old) <= 3 * Number(now) && Number(now) <= 3 * Number(old));
}
