import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { optionLines, parseArguments, readInput, selectAction, type Arguments } from '../arguments.js';
import { exitCodes, UsageError, type Command } from '../command.js';
import { alignColumns, jsonText, toPrintable } from '../print/text.js';
import { currentShell } from '../shell.js';
import type { Terminal } from '../terminal.js';
import { profileNamed, profilesPath, readProfiles, writeProfiles, type Profile } from './file.js';

const options = {
  'base-url': { value: '<url>', about: 'the URL of the platform (default: CORRIDOR_BASE_URL)' },
  'private-key': { value: '<file>', about: 'the file of the private key; the profile stores its path' },
  'store-key': { about: 'stores the private key itself instead of its path' },
  json: { about: 'prints the result as JSON' },
} as const;

interface ProfileCall {
  readonly name: string;
  readonly args: Arguments<typeof options>;
  readonly terminal: Terminal;
}

const actions: Readonly<Record<string, (call: ProfileCall) => Promise<void>>> = {
  add: addProfile,
  list: listProfiles,
  show: showProfile,
  remove: removeProfile,
};

/** `corridor profile` */
export const command: Command = {
  options,
  wordsAfter: ([action, ...names]) =>
    action === undefined
      ? Object.keys(actions)
      : names.length === 0 && (action === 'show' || action === 'remove')
        ? Object.keys(readProfiles())
        : [],
  help: () => `Usage: corridor profile <action> [name] [options]

Stores settings under a name, for --profile of other commands:

${alignColumns([
  ['add <name>', 'stores a profile; the API key is CORRIDOR_API_KEY, or else it asks for it'],
  ['list', 'lists the profiles'],
  ['show <name>', 'prints a profile without its secrets'],
  ['remove <name>', 'removes a profile; the file of its private key stays'],
])}

  corridor profile add sandbox --base-url https://sandbox.example --private-key key.pem
  corridor doctor --profile sandbox

The file is ${toPrintable(profilesPath())}, with mode 600. The profile "default" is used if there are
no settings in the environment and in .env.

${optionLines(options)}
`,
  async run(argv, terminal) {
    const args = parseArguments(argv, options);
    const [action = '', name, ...others] = args.positionals;
    const run = selectAction(actions, action);
    const [unexpected] = action === 'list' && name !== undefined ? [name] : others;
    if (unexpected !== undefined) throw new UsageError(`unexpected argument "${unexpected}"`);
    if (action !== 'list' && name === undefined) throw new UsageError(`${action} needs the name of a profile`);
    if (action !== 'add')
      for (const option of ['base-url', 'private-key', 'store-key'] as const)
        if (args.has(option)) throw new UsageError(`--${option} applies to add only; remove it`);
    await run({ name: name ?? '', args, terminal });
    return exitCodes.done;
  },
};

async function addProfile({ name, args, terminal }: ProfileCall): Promise<void> {
  const { notes, environment, secrets } = terminal;
  if (!/^[a-z0-9][\w.-]*$/i.test(name))
    throw new UsageError(`"${name}" is not a name for a profile. Use letters, digits, ., _ and -`);
  if (Object.hasOwn(readProfiles(), name))
    throw new UsageError(`the profile ${name} exists. Run ${currentShell().corridor(`profile remove ${name}`)} first`);
  const baseUrl = args.value('base-url') ?? environment['CORRIDOR_BASE_URL'];
  if (baseUrl === undefined || baseUrl === '')
    throw new UsageError('the base URL is missing. Pass --base-url, or set CORRIDOR_BASE_URL');
  const key = readKey(args, environment['CORRIDOR_PRIVATE_KEY']);
  const known = environment['CORRIDOR_API_KEY'] ?? '';
  const apiKey = known === '' ? await askSecret('API key: ', terminal) : known;
  if (apiKey === '') throw new UsageError('the API key is missing. Set CORRIDOR_API_KEY, or enter it when asked');
  secrets.addCredentials({ CORRIDOR_API_KEY: apiKey, CORRIDOR_PRIVATE_KEY: key.text });
  const { Corridor } = await import('../../index.js');
  await new Corridor({ baseUrl, apiKey, privateKey: key.text }).ready();
  await writeProfiles({ ...readProfiles(), [name]: { baseUrl, apiKey, ...key.stored } });
  await notes.line(`Stored. Use it with --profile ${name}: ${currentShell().corridor(`doctor --profile ${name}`)}`);
}

/** Reads the private key, from a file or else from the environment. */
function readKey(
  args: Arguments<typeof options>,
  fromEnvironment = '',
): { readonly text: string; readonly stored: Pick<Profile, 'privateKey' | 'privateKeyFile'> } {
  const file = args.value('private-key');
  const isStored = args.has('store-key');
  if (file === undefined && (!isStored || fromEnvironment === ''))
    throw new UsageError(
      'the private key is missing. Pass its file with --private-key, or set CORRIDOR_PRIVATE_KEY and pass --store-key',
    );
  if (file === undefined) return { text: fromEnvironment, stored: { privateKey: fromEnvironment } };
  const text = readInput(file);
  return { text, stored: isStored ? { privateKey: text } : { privateKeyFile: resolve(file) } };
}

/** Reads a line of standard input, which a terminal does not show. */
async function askSecret(question: string, { notes }: Terminal): Promise<string> {
  const { stdin } = process;
  const nowhere = new Writable({ write: (_text: unknown, _encoding, done) => done() });
  if (stdin.isTTY) await notes.write(question);
  const reader = createInterface({ input: stdin, output: nowhere, terminal: stdin.isTTY === true });
  // A terminal that does not show the input does not turn Ctrl+C into a signal either.
  reader.once('SIGINT', () => {
    reader.close();
    process.kill(process.pid, 'SIGINT');
  });
  try {
    for await (const line of reader) return line.trim();
    return '';
  } finally {
    reader.close();
    if (stdin.isTTY) await notes.line();
  }
}

async function listProfiles({ args, terminal: { output, notes } }: ProfileCall): Promise<void> {
  const profiles = Object.entries(readProfiles());
  if (args.has('json'))
    return output.line(
      jsonText(
        profiles.map(([name, { baseUrl }]) => ({ name, baseUrl })),
        2,
      ),
    );
  if (profiles.length === 0) return notes.line('No profiles.');
  return output.line(
    alignColumns(
      profiles.map(([name, { baseUrl }]) => [name, toPrintable(baseUrl)]),
      '',
    ),
  );
}

async function showProfile({ name, args, terminal: { output } }: ProfileCall): Promise<void> {
  const { baseUrl, apiKey, privateKeyFile } = profileNamed(name);
  const shown = {
    baseUrl,
    apiKey: `set, ${apiKey.length} characters`,
    privateKey: privateKeyFile ?? 'stored in the profile',
  };
  if (args.has('json')) return output.line(jsonText({ name, ...shown }, 2));
  return output.line(
    alignColumns(
      Object.entries(shown).map(([field, text]) => [field, toPrintable(text)]),
      '',
    ),
  );
}

async function removeProfile({ name, terminal: { notes } }: ProfileCall): Promise<void> {
  profileNamed(name);
  const { [name]: _removed, ...others } = readProfiles();
  await writeProfiles(others);
  await notes.line(`Removed ${name}.`);
}
