import { createPrivateKey, createPublicKey, type KeyExportOptions, type KeyObject } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, createWriteStream, mkdtempSync, rmSync, writeFileSync, type WriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { integerOption, optionLines, rejectOptions } from './arguments.js';
import { CommandError, exitCodes, UsageError, type Command, type Options, type Arguments } from './command.js';
import { formatDuration } from './doctor/check.js';
import { printError } from './print/error-report.js';
import { jsonText, toPrintable } from './print/text.js';
import { readTextIfExists, replaceFile } from './files.js';
import { currentShell } from './shell.js';
import { readVariable } from './settings-source.js';
import type { Terminal } from './terminal.js';
import type { MockPlatform, MockScenario, PopulateSizes, RecordedRequest } from '../mock/index.js';
import type { MockPlatformServer, MockServerState, ServeOptions } from '../mock/node.js';

const defaultPort = 4010;

const options = {
  host: { value: '<address>', about: 'the address to listen on, such as 0.0.0.0 (default: 127.0.0.1)' },
  port: { value: '<n>', about: `the port; 0 picks a free one (default: ${defaultPort})` },
  'allowed-host': {
    value: '<name>',
    about: 'a host name in URLs of the control API besides loopback; can be repeated, required for other addresses',
  },
  seed: { value: '<text>', about: 'the seed of all ids and data (default: 1)' },
  populate: {
    value: '<sizes>',
    isOptional: true,
    about: 'starts with a few hundred realistic records, or with those of sizes such as customers=10,payments=500',
  },
  state: {
    value: '<file>',
    about: 'continues with the state in the file, and stores it there; with it, --populate applies to a new file only',
  },
  scenario: {
    value: '<name or file>',
    about:
      'loads a scenario of the package, or one in a JSON file; can be repeated (with --state, into a new file only)',
  },
  platform: {
    value: '<file>',
    about: 'behaves as the platform that corridor verify measured, such as corridor.platform.json',
  },
  'key-file': {
    value: '<file>',
    about:
      'the private key of the client: read if the file exists, else generated (default: in a new temporary folder)',
  },
  'public-key': {
    value: '<file>',
    about: 'the public key of a client that has its own private key; no key is generated',
  },
  upstream: {
    value: '<url>',
    about: 'passes all requests on to this platform, and shows and disturbs its responses in the console',
  },
  report: { value: '<file>', about: 'with --upstream: writes what its responses show, as corridor verify does' },
  record: { value: '<file>', about: 'with --upstream: appends each exchange as a line of JSON, without personal data' },
  sensitive: { about: 'with --record: keeps personal data' },
  log: { about: 'prints a line for each request: time, organization, method, path, status, error or fault, duration' },
  json: { about: 'prints one line of JSON when it is ready, and the log as lines of JSON' },
} as const satisfies Options;

type MockArguments = Arguments<typeof options>;

/** `corridor mock` */
export const command: Command<typeof options> = {
  options,
  help: () => `Usage: corridor mock [options]

Serves a mock of the whole platform over HTTP, for clients in any language: it is stateful and verifies every signature.
It prints its address and credentials, and runs until it is stopped (Ctrl+C).
Under /__mock, tests in any language have the same control as tests in TypeScript: GET /__mock lists the calls.

  corridor mock --populate
  corridor mock --upstream https://sandbox.example --report corridor.platform.json --record sandbox.jsonl

${optionLines(options)}
`,
  async run(args, terminal) {
    if (args.has('upstream')) return runUpstream(args, terminal);
    rejectOptions(args, ['report', 'record', 'sensitive'], '--upstream');
    const sizes = populateSizes(args);
    const statePath = args.value('state');
    const state = statePath === undefined ? undefined : await readState(statePath);
    let stateFile: StateFile | undefined;
    const server = await serve(
      {
        ...serverOptions(args, terminal),
        ...keysIn(args),
        state,
        onChange: () => stateFile?.changed(),
      },
      statePath,
    );
    const stop = untilStopped();
    try {
      if (state === undefined && sizes !== undefined) populate(server, sizes);
      for (const source of args.values('scenario')) useScenario(server.platform, source, state === undefined);
      const onError = (error: CommandError): void => void printError(terminal.notes, error, args.argv);
      const { snapshotToLines } = await import('../mock/index.js');
      const content = async (): Promise<Iterable<string>> => snapshotToLines(await server.state());
      if (statePath !== undefined) stateFile = new StateFile(statePath, content, onError);
      await stateFile?.save();
      const keyFile = await writeKey(server, args);
      await printBanner(server, keyFile, args, terminal);
      const note = clockNote(server);
      if (note !== undefined) await terminal.notes.line(note);
      await stop;
    } finally {
      await server.close();
      await stateFile?.close();
    }
    if (!args.has('json')) await terminal.notes.line('\nStopped.');
    return exitCodes.done;
  },
};

/** Serves the console in front of a real platform. */
async function runUpstream(args: MockArguments, terminal: Terminal): Promise<number> {
  rejectOptions(args, ['seed', 'populate', 'state', 'scenario', 'key-file', 'public-key'], 'the mock');
  if (!args.has('record')) rejectOptions(args, ['sensitive'], '--record');
  const { readPlatformFile, updatePlatformFile } = await import('./verify/platform-file.js');
  const { measurementOf } = await import('./verify/probe.js');
  const { withoutPersonalData } = await import('../mock/upstream/recording.js');
  const onError = (error: CommandError): void => void printError(terminal.notes, error, args.argv);
  const [reportPath, recordPath] = [args.value('report'), args.value('record')];
  const recorded = reportPath === undefined ? undefined : readPlatformFile(reportPath);
  const recording = recordPath === undefined ? undefined : await openRecording(recordPath, onError);
  let report: StateFile | undefined;
  const onExchange: ServeOptions['onExchange'] = (exchange, hasNewVerdict) => {
    recording?.write(`${JSON.stringify(args.has('sensitive') ? exchange : withoutPersonalData(exchange))}\n`);
    if (hasNewVerdict) report?.changed();
  };
  const server = await serve(
    { ...serverOptions(args, terminal), upstream: args.value('upstream'), onExchange },
    undefined,
  );
  const content = async (): Promise<string> => {
    const results = server.findings().map(({ question, observation }) => measurementOf(question, observation));
    return `${jsonText(updatePlatformFile(recorded, results), 2)}\n`;
  };
  const stop = untilStopped();
  try {
    if (reportPath !== undefined) report = new StateFile(reportPath, content, onError, 0o644);
    await report?.save();
    await printUpstream(server, args, terminal);
    await stop;
  } finally {
    await server.close();
    await report?.close();
    if (recording !== undefined) await promisify(recording.end.bind(recording))();
  }
  return exitCodes.done;
}

/** Opens a file to which exchanges are appended. Throws `CommandError`; the first later failure is passed to `onError`. */
async function openRecording(path: string, onError: (error: CommandError) => void): Promise<WriteStream> {
  const errorOf = ({ code }: NodeJS.ErrnoException): CommandError =>
    new CommandError(`${path} cannot be written (${code}). Pass another file`);
  const file = createWriteStream(path, { flags: 'a', mode: 0o600 });
  await once(file, 'open').catch((error: NodeJS.ErrnoException) => Promise.reject(errorOf(error)));
  return file.on('error', (error) => onError(errorOf(error)));
}

async function serve(serveOptions: ServeOptions, statePath: string | undefined): Promise<MockPlatformServer> {
  const { serveMockPlatform } = await import('../mock/node.js');
  try {
    return await serveMockPlatform(serveOptions);
  } catch (error) {
    const { code, name, message } = error as NodeJS.ErrnoException;
    const { host, port } = serveOptions;
    if (code === 'EADDRINUSE') throw new CommandError(`port ${port} is already in use. Pass --port 0 for a free port`);
    if (code === 'EACCES')
      throw new CommandError(`port ${port} requires privileges that you do not have. Pass --port 0 for a free port`);
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN')
      throw new CommandError(`${host} is not an address of this machine. Pass --host 0.0.0.0 for all addresses`);
    if (name !== 'MockPlatformError') throw error;
    const text = withOptionNames(message.replace(/^(?:serve|create)MockPlatform: /, ''));
    if (text.startsWith('state: ')) throw new CommandError(`${statePath}${text.slice('state'.length)}`);
    throw new UsageError(text);
  }
}

const optionNames = {
  allowedHosts: '--allowed-host',
  controlToken: 'the control token',
  platform: '--platform',
  privateKey: '--key-file',
  publicKey: '--public-key',
  seed: '--seed',
  upstream: '--upstream',
} satisfies Partial<Record<keyof ServeOptions, string>>;

const isOptionName = (name: string): name is keyof typeof optionNames => Object.hasOwn(optionNames, name);

/**
 * Replaces the names of the server's options by those of the command, but not the names of fields and values in them.
 */
function withOptionNames(message: string): string {
  return message
    .replaceAll(/(?<![\w."'])([A-Za-z]+)\b(?:\[\d+\])?/g, (text, name: string) =>
      isOptionName(name) ? optionNames[name] : text,
    )
    .replace("['mock']", 'mock');
}

function populate({ platform }: MockPlatformServer, sizes: NonNullable<ReturnType<typeof populateSizes>>): void {
  try {
    platform.populate(sizes);
  } catch (error) {
    throw new UsageError((error as Error).message.replace(/^populate: /, '--populate: '));
  }
}

async function printBanner(
  server: MockPlatformServer,
  keyFile: string | undefined,
  args: MockArguments,
  { output, secrets, environment }: Terminal,
): Promise<void> {
  const { baseUrl, apiKey } = server.clientOptions();
  // This key works only with this mock, and the user needs to read it.
  secrets.reveal(apiKey);
  const token = generatedToken(server, environment);
  if (args.has('json'))
    return output.line(
      jsonText({
        baseUrl,
        control: `${baseUrl}/__mock`,
        ...(token !== undefined && { controlToken: token }),
        apiKey,
        keyFile: keyFile ?? null,
        seed: server.platform.seed,
        processId: process.pid,
      }),
    );
  const shell = currentShell();
  const keyLine =
    keyFile === undefined
      ? '# CORRIDOR_PRIVATE_KEY: the private key of the public key that you passed'
      : shell.setToFile('CORRIDOR_PRIVATE_KEY', keyFile);
  // On loopback the server requires no token.
  const tokenOfOthers = args.has('allowed-host') ? token : undefined;
  return output.write(`The mock platform is listening at ${output.style('bold', baseUrl)}. In another terminal:

  ${shell.set('CORRIDOR_BASE_URL', baseUrl)}
  ${shell.set('CORRIDOR_API_KEY', apiKey)}
  ${keyLine}
  ${shell.corridor('doctor')}

The console is at ${baseUrl}/__mock/console${tokenOfOthers === undefined ? '' : `#token=${tokenOfOthers}`}
Tests in any language can add records, plan faults and read requests at ${baseUrl}/__mock (GET lists the calls).
${tokenOfOthers === undefined ? '' : `Other machines send the control token: authorization: Bearer ${tokenOfOthers}\n`}Ctrl+C stops it.
`);
}

/** Returns the control token, unless the user has set it. */
const generatedToken = ({ controlToken }: MockPlatformServer, environment: Terminal['environment']) =>
  readVariable(environment, 'CORRIDOR_MOCK_CONTROL_TOKEN') === '' ? controlToken : undefined;

async function printUpstream(
  server: MockPlatformServer,
  args: MockArguments,
  { output, environment }: Terminal,
): Promise<void> {
  const { baseUrl } = server.clientOptions();
  const [upstream, token] = [args.value('upstream'), generatedToken(server, environment)];
  const control = `${server.url}/__mock`;
  if (args.has('json'))
    return output.line(jsonText({ baseUrl, control, controlToken: token, upstream, processId: process.pid }));
  return output.write(`Requests to ${output.style('bold', baseUrl)} are passed on to ${upstream}, and to no other host. In another terminal:

  ${currentShell().set('CORRIDOR_BASE_URL', baseUrl)}

Keep the key and the API key of your program: the platform verifies them.
The console is at ${control}/console${args.has('allowed-host') && token !== undefined ? `#token=${token}` : ''}
Ctrl+C stops it.
`);
}

/** Describes how far the clock is off, as that of a scenario can be; undefined if clients with the real clock work. */
function clockNote({ platform, url }: MockPlatformServer): string | undefined {
  const offset = platform.clock.now() - Date.now();
  if (Math.abs(offset) < tokenTolerance) return undefined;
  const now = new Date(platform.clock.now()).toISOString();
  return (
    `The clock of the mock is at ${now}, ${formatDuration(Math.abs(offset))} ${offset < 0 ? 'behind' : 'ahead of'} this ` +
    'machine, so it rejects the tokens of clients that have the real clock. Remove `clock` from the scenario, call ' +
    `POST ${url}/__mock/clock.reset, or give the client the clock of the mock: with connectMockPlatform, ` +
    'clientOptions() does.'
  );
}

/** The smallest difference, in milliseconds, with which a platform may reject a token. */
const tokenTolerance = 30_000;

function untilStopped(): Promise<void> {
  return new Promise((resolveStop) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolveStop());
  });
}

/** Returns the options of the server in the command line and the environment. */
function serverOptions(args: MockArguments, { environment, output }: Terminal): ServeOptions {
  const platform = args.value('platform');
  const token = readVariable(environment, 'CORRIDOR_MOCK_CONTROL_TOKEN');
  return {
    host: args.value('host'),
    port: integerOption('port', args.value('port') ?? String(defaultPort), 0, 65_535),
    allowedHosts: args.values('allowed-host'),
    // Not an option, because other users of the machine can read command lines.
    controlToken: token === '' ? undefined : token,
    seed: args.value('seed'),
    // The server validates it.
    ...(platform !== undefined && { platform: parseFile(platform, readText(platform)) as ServeOptions['platform'] }),
    control: true,
    ...(args.has('log') && {
      onResponse: (request, duration) => void output.line(requestLine(request, duration, args.has('json'))),
    }),
  };
}

/** Parses the value of `--populate`; undefined if the option was not passed. */
function populateSizes(args: MockArguments): PopulateSizes | undefined {
  if (!args.has('populate')) return undefined;
  const parts = args.value('populate')?.split(',') ?? [];
  return Object.fromEntries(
    parts.map((part) => {
      const [, kind, count] = /^([a-z]+)=(\d{1,9})$/i.exec(part) ?? [];
      if (kind === undefined)
        throw new UsageError(
          `--populate must be a list of sizes such as customers=10,payments=500 (received "${part}")`,
        );
      return [kind, Number(count)];
    }),
  );
}

/**
 * Adds the scenario of a file to those that the platform knows, and loads it, unless the platform continues a state.
 */
function useScenario(platform: MockPlatform, source: string, isLoaded: boolean): void {
  const known = platform.scenarios.list().map(({ name }) => name);
  const isKnown = known.includes(source);
  const text = isKnown ? undefined : readTextIfExists(source);
  if (!isKnown && text === undefined)
    throw new UsageError(`--scenario ${source} is neither a file nor a scenario of the package (${known.join(', ')})`);
  const name = isKnown ? source : basename(source, '.json');
  try {
    // The platform validates it.
    if (text !== undefined) platform.scenarios.add(name, parseFile(source, text) as MockScenario);
    if (isLoaded) platform.scenarios.load(name);
  } catch (error) {
    const { name: kind, message } = error as Error;
    if (kind !== 'MockPlatformError') throw error;
    throw new CommandError(`${source}: ${message.replace(/^scenarios\.(?:add|load): /, '')}`);
  }
}

/** Returns the keys in the files: of a client that has its own private key, or the private key, if its file exists. */
function keysIn(args: MockArguments): Pick<ServeOptions, 'publicKey' | 'privateKey'> {
  const [publicKey, privateKey] = [args.value('public-key'), args.value('key-file')];
  if (publicKey !== undefined && privateKey !== undefined)
    throw new UsageError('pass either --public-key or --key-file, not both');
  if (publicKey !== undefined)
    return { publicKey: pemOf(publicKey, () => createPublicKey(readText(publicKey)), 'spki') };
  const text = privateKey === undefined ? undefined : readTextIfExists(privateKey);
  return privateKey === undefined || text === undefined
    ? {}
    : { privateKey: pemOf(privateKey, () => createPrivateKey(text), 'pkcs8') };
}

/** Returns the key in a file in the format of the server. The message of another error may contain parts of the key. */
function pemOf(file: string, load: () => KeyObject, type: 'spki' | 'pkcs8'): string {
  try {
    const key = load();
    if (key.asymmetricKeyType === 'rsa')
      return key.export({ type, format: 'pem' } as KeyExportOptions<'pem'>).toString();
  } catch (error) {
    if (error instanceof CommandError) throw error;
  }
  throw new CommandError(
    `${file} does not contain a usable RSA key. Run ${currentShell().corridor('keygen')} to generate one`,
  );
}

/** Returns the path of the private key, and writes the file if necessary; undefined if the client has its own key. */
async function writeKey(server: MockPlatformServer, args: MockArguments): Promise<string | undefined> {
  if (args.has('public-key')) return undefined;
  const path = resolve(args.value('key-file') ?? join(temporaryFolder(), 'key.pem'));
  if (readTextIfExists(path) !== undefined) return path;
  try {
    writeFileSync(path, (await server.credentials()).privateKey, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    throw new CommandError(`${path} cannot be written (${(error as NodeJS.ErrnoException).code})`);
  }
  return path;
}

/** Creates a folder that is removed at the end. */
function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'corridor-mock-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The time between a change and its storage, in milliseconds. */
const minPause = 1000;
/** How much longer than a save the pause before the next one is, so that a large state does not slow down the mock. */
const pauseFactor = 10;

/** Returns the state in a file; undefined if the file does not exist. Throws `CommandError` if it is damaged. */
async function readState(path: string): Promise<MockServerState | undefined> {
  const { snapshotFromLines } = await import('../mock/index.js');
  try {
    return await snapshotFromLines(createInterface({ input: createReadStream(path), crlfDelay: Infinity }));
  } catch (error) {
    const { code, name, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    if (code !== undefined) throw new CommandError(`${path} cannot be read (${code})`);
    if (name !== 'MockPlatformError') throw error;
    throw new CommandError(`${path}: ${message.replace('snapshotFromLines: these are', 'these are')}`);
  }
}

/** Stores what a server knows in a file after changes. */
class StateFile {
  readonly #path: string;
  readonly #content: () => Promise<string | Iterable<string>>;
  readonly #onError: (error: CommandError) => void;
  readonly #mode: number | undefined;
  #hasChanges = false;
  #hasFailed = false;
  #pause = minPause;
  #timer: NodeJS.Timeout | undefined;
  #saving: Promise<void> = Promise.resolve();
  /** Identifies the file as this process wrote it; undefined before that. */
  #identity: string | undefined;

  /** The first of several failures in a row is passed to `onError`, and further saves try again. */
  constructor(
    path: string,
    content: () => Promise<string | Iterable<string>>,
    onError: (error: CommandError) => void,
    mode?: number,
  ) {
    [this.#path, this.#content, this.#onError, this.#mode] = [path, content, onError, mode];
  }

  /** Schedules a save. */
  changed(): void {
    this.#hasChanges = true;
    this.#timer ??= setTimeout(() => {
      this.#saving = this.save()
        .then(
          () => void (this.#hasFailed = false),
          (error: CommandError) => {
            if (!this.#hasFailed) this.#onError(error);
            this.#hasFailed = true;
          },
        )
        .then(() => {
          this.#timer = undefined;
          if (this.#hasChanges) this.changed();
        });
    }, this.#pause);
  }

  /** Stores the last changes. Rejects with `CommandError` if the file cannot be written. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#saving;
    if (this.#hasChanges) await this.save();
  }

  /**
   * Replaces the file at once, so that a crash never leaves half of it. Rejects with `CommandError` if it cannot be
   * written.
   */
  async save(): Promise<void> {
    const start = performance.now();
    this.#hasChanges = false;
    try {
      await this.#requireOwn();
      await replaceFile(this.#path, await this.#content(), this.#mode);
      this.#identity = await identityOf(this.#path);
    } catch (error) {
      this.#hasChanges = true;
      if (error instanceof CommandError) throw error;
      const { code, message } = error as NodeJS.ErrnoException;
      throw new CommandError(`${this.#path} cannot be written (${code ?? message})`);
    } finally {
      this.#pause = Math.max(minPause, pauseFactor * (performance.now() - start));
    }
  }

  /** Throws `CommandError` if another process has replaced the file: its changes must not be lost. */
  async #requireOwn(): Promise<void> {
    const current = await identityOf(this.#path);
    if (this.#identity !== undefined && current !== undefined && current !== this.#identity)
      throw new CommandError(
        `${this.#path} was changed by another process, so this one no ` +
          'longer stores its state. Use one file for each mock',
      );
  }
}

async function identityOf(path: string): Promise<string | undefined> {
  try {
    const { ino, mtimeMs } = await stat(path);
    return `${ino}/${mtimeMs}`;
  } catch {
    return undefined;
  }
}

/** Formats a request as one line: columns, or JSON. Contains no query, which can have signatures, and no body. */
function requestLine(request: RecordedRequest, duration: number, isJson: boolean): string {
  const { organization = null, method, path, status = null, error, fault = null } = request;
  const time = new Date().toISOString();
  const milliseconds = Math.round(duration);
  const code = error?.code ?? null;
  if (isJson) return jsonText({ time, organization, method, path, status, error: code, fault, milliseconds });
  const notes = [code ?? [], fault === null ? [] : `fault:${fault}`].flat().join(' ');
  // Escapes the control characters that the path may contain.
  const safePath = jsonText(path).slice(1, -1);
  const result = `${status ?? '-'} ${notes || '-'} ${milliseconds}ms`;
  return toPrintable(`${time} ${organization ?? '-'} ${method} ${safePath} ${result}`);
}

/** Returns the text of a file. Throws `CommandError` if it does not exist. */
function readText(path: string): string {
  const text = readTextIfExists(path);
  if (text === undefined) throw new CommandError(`${path} does not exist`);
  return text;
}

/** Parses the text of a file as JSON. The error contains no part of it, because it may contain secrets. */
function parseFile(path: string, text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new CommandError(`${path} does not contain JSON. Pass another file`);
  }
}
