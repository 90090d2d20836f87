import type { Dialect } from '../../index.js';
import {
  createMockPlatform,
  type ErrorStatuses,
  type MeasuredBehavior,
  type MeasuredPlatform,
} from '../../mock/index.js';

/** A setting that a probe measures, as a path in `corridor.platform.json`. */
export type SettingPath =
  | `dialect.${keyof Dialect}`
  | `behavior.${keyof MeasuredBehavior}`
  | `behavior.errorStatuses.${keyof ErrorStatuses}`;

/** The settings that a probe measured; undefined is the default. */
export type Measured = Readonly<Partial<Record<SettingPath, unknown>>>;

/** The parts of the file that contain settings. */
export type Settings = Pick<MeasuredPlatform, 'dialect' | 'behavior'>;

type Values = Readonly<Record<string, unknown>>;

/** Returns the settings of a file by their paths. */
export function settingsIn({ dialect = {}, behavior = {} }: Settings = {}): Measured {
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
export function fileWith(measured: Measured): { readonly dialect: Dialect; readonly behavior: MeasuredBehavior } {
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

/** Checks whether client and mock accept a value of a setting: a platform can behave in a way that they have no setting for. */
export function isPossible(setting: SettingPath, value: unknown): boolean {
  try {
    createMockPlatform({ platform: fileWith({ [setting]: value }) });
    return true;
  } catch {
    return false;
  }
}
