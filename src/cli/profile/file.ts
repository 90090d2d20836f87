import { readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { optionsObject } from '../../contract/options.js';
import { nonEmptyString } from '../../contract/schema/schema.js';
import { formatIssues } from '../../contract/issue.js';
import { validateRequest } from '../../contract/validate.js';
import { CommandError, UsageError } from '../command.js';
import { replacePrivateFile } from '../private-file.js';
import { suggestSimilar } from '../../contract/suggest.js';

/** The settings of a client, under a name. */
export interface Profile {
  readonly baseUrl: string;
  readonly apiKey: string;
  /** The path of the private key. */
  readonly privateKeyFile?: string | undefined;
  /** The private key itself, only if the user asked for it. */
  readonly privateKey?: string | undefined;
}

/** The stored profiles, by name. */
export type Profiles = Readonly<Record<string, Profile>>;

/** Returns the path of the file with the profiles, in the user's configuration folder. */
export function profilesPath(): string {
  const { XDG_CONFIG_HOME, APPDATA } = process.env;
  const folder = process.platform === 'win32' ? APPDATA : XDG_CONFIG_HOME;
  return join(folder === undefined || folder === '' ? join(homedir(), '.config') : folder, 'corridor', 'profiles.json');
}

/** Reads the profiles; an empty object if there is no file. Throws `CommandError` if the file is damaged. */
export function readProfiles(): Profiles {
  const path = profilesPath();
  const damaged = (problem: string): CommandError =>
    new CommandError(`${path} is not a valid file of profiles: ${problem}. Fix it, or delete it and add them again`);
  let profiles: unknown;
  try {
    profiles = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return {};
    // The message of a syntax error contains a part of the file.
    throw damaged(code ?? 'it is not JSON');
  }
  if (typeof profiles !== 'object' || profiles === null) throw damaged('it must be an object');
  const schema = optionsObject<Profile>(
    {
      baseUrl: nonEmptyString(),
      apiKey: nonEmptyString(),
      privateKeyFile: nonEmptyString(),
      privateKey: nonEmptyString(),
    },
    { rule: 'must have baseUrl, apiKey, and privateKeyFile or privateKey' },
    ({ baseUrl, apiKey, privateKeyFile, privateKey }: Partial<Profile>) =>
      baseUrl !== undefined && apiKey !== undefined && (privateKeyFile ?? privateKey) !== undefined,
  );
  for (const [name, profile] of Object.entries<unknown>({ ...profiles })) {
    const issues = validateRequest(schema, profile);
    if (issues.length > 0) throw damaged(formatIssues(issues, `the profile ${name}`));
  }
  return profiles as Profiles;
}

/** Returns a profile. Throws `UsageError` if there is no such profile. */
export function profileNamed(name: string): Profile {
  const profiles = readProfiles();
  const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  if (profile !== undefined) return profile;
  const names = Object.keys(profiles);
  throw new UsageError(
    `there is no profile "${name}"${suggestSimilar(name, names)} (profiles: ${names.join(', ') || 'none'})`,
  );
}

/** Returns the private key of a profile. Throws `CommandError` if its file cannot be read. */
export function privateKeyOf({ privateKey, privateKeyFile = '' }: Profile): string {
  if (privateKey !== undefined) return privateKey;
  try {
    return readFileSync(privateKeyFile, 'utf8');
  } catch (error) {
    throw new CommandError(
      `the private key ${privateKeyFile} cannot be read (${(error as NodeJS.ErrnoException).code}). Restore the file, or remove the profile and add it again`,
    );
  }
}

/** Stores the profiles in a file that only its owner can read. */
export async function writeProfiles(profiles: Profiles): Promise<void> {
  const path = profilesPath();
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await replacePrivateFile(path, `${JSON.stringify(profiles, null, 2)}\n`);
}
