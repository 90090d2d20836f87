import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { CommandError, type Options } from './command.js';
import { isReadableByOthers } from './private-file.js';
import { currentShell } from './shell.js';
import type { Terminal } from './terminal.js';

/** The variables of the client. They are read from one source, so that an API key never goes to another platform. */
const clientVariables = ['CORRIDOR_BASE_URL', 'CORRIDOR_API_KEY', 'CORRIDOR_PRIVATE_KEY'] as const;
const envFile = '.env';
const defaultProfile = 'default';

type Variables = Readonly<Record<string, string | undefined>>;

/** The option of commands that use a client. */
export const profileOption = {
  profile: {
    value: '<name>',
    about: 'uses the settings of this profile',
    values: async () => Object.keys((await import('./profile/file.js')).readProfiles()),
  },
} as const satisfies Options;

/**
 * Sets the variables of the client in the environment of the process, from the first of these that has one: the profile
 * of the command line, the environment, `.env` in the working directory, and the profile `default`. Returns the name of
 * the source.
 */
export async function loadSettings(profile: string | undefined, terminal: Terminal): Promise<string> {
  const { environment } = terminal;
  const file = readEnvFile();
  if ((environment['CORRIDOR_WEBHOOK_SECRET'] ?? '') === '' && file['CORRIDOR_WEBHOOK_SECRET'] !== undefined)
    process.env['CORRIDOR_WEBHOOK_SECRET'] = file['CORRIDOR_WEBHOOK_SECRET'];
  const source = await selectSource(profile, environment, file, terminal);
  terminal.secrets.addCredentials(environment);
  return source;
}

async function selectSource(
  profile: string | undefined,
  environment: Variables,
  file: Variables,
  terminal: Terminal,
): Promise<string> {
  if (profile !== undefined) return useProfile(profile, terminal);
  const unused = hasAny(file) ? `; ${envFile} is not used, because settings of several sources are never mixed` : '';
  if (hasAny(environment)) return `the environment${unused}`;
  if (hasAny(file)) {
    await warnIfReadable(envFile, terminal);
    setVariables(file);
    return envFile;
  }
  const { readProfiles } = await import('./profile/file.js');
  return Object.hasOwn(readProfiles(), defaultProfile) ? useProfile(defaultProfile, terminal) : 'the environment';
}

async function useProfile(name: string, terminal: Terminal): Promise<string> {
  const { privateKeyOf, profileNamed, profilesPath } = await import('./profile/file.js');
  const profile = profileNamed(name);
  for (const path of [profilesPath(), ...(profile.privateKeyFile === undefined ? [] : [profile.privateKeyFile])])
    await warnIfReadable(path, terminal);
  setVariables({
    CORRIDOR_BASE_URL: profile.baseUrl,
    CORRIDOR_API_KEY: profile.apiKey,
    CORRIDOR_PRIVATE_KEY: privateKeyOf(profile),
  });
  return `the profile ${name}`;
}

const hasAny = (variables: Variables): boolean => clientVariables.some((name) => (variables[name] ?? '') !== '');

function setVariables(variables: Variables): void {
  for (const name of clientVariables) {
    const value = variables[name];
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
}

function readEnvFile(): Variables {
  try {
    return parseEnv(readFileSync(envFile, 'utf8'));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'EISDIR') return {};
    throw new CommandError(`${envFile} cannot be read (${code}). Make it readable, or run this in another folder`);
  }
}

/** Warns if other users of this machine can read a file with secrets. */
async function warnIfReadable(path: string, { notes }: Terminal): Promise<void> {
  if (!isReadableByOthers(path)) return;
  await notes.line(
    `${notes.style('yellow', 'warning')}  other users of this machine can read ${path}. Run: chmod 600 ${currentShell().quote(path)}`,
  );
}
