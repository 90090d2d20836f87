import { appendFileSync, createReadStream, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { integerOption, optionLines, readJsonObject, rejectOptions } from './arguments.js';
import { CommandError, exitCodes, UsageError, type Command, type Options, type Arguments } from './command.js';
import { formatDuration } from './doctor/check.js';
import { printError } from './print/error-report.js';
import { jsonText, toPrintable } from './print/text.js';
import { readTextIfExists, replaceFile, unwritable } from './files.js';
import { currentShell } from './shell.js';
import { readVariable } from './settings-source.js';
import type { Terminal } from './terminal.js';
import type { RecordedRequest } from '../mock/index.js';
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
  populate: { about: 'starts with a few hundred realistic records of every kind' },
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
      'the private key of the client in PKCS#8 PEM: read if the file exists, else generated (default: in a new temporary folder)',
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
    const onError = (error: CommandError): void => void printError(terminal.notes, error, args.argv);
    return args.has('upstream') ? runUpstream(args, terminal, onError) : runMock(args, terminal, onError);
  },
};

type OnError = (error: CommandError) => void;

async function runMock(args: MockArguments, terminal: Terminal, onError: OnError): Promise<number> {
  rejectOptions(args, ['report', 'record', 'sensitive'], '--upstream');
  const [statePath, keyPath] = [args.value('state'), args.value('key-file')];
  const { snapshotFromLines, snapshotToLines } = await import('../mock/index.js');
  const state =
    statePath === undefined || !existsSync(statePath)
      ? undefined
      : ((await ofFile(statePath, () =>
          snapshotFromLines(createInterface({ input: createReadStream(statePath), crlfDelay: Infinity })),
        )) as MockServerState);
  const privateKey = keyPath === undefined ? undefined : readTextIfExists(keyPath);
  let stateFile: StateFile | undefined;
  const onChange = (): void => stateFile?.changed();
  const server = await serve({ ...serverOptions(args, terminal), privateKey, state, onChange }, statePath);
  const start = async (): Promise<void> => {
    if (state === undefined && args.has('populate')) server.platform.populate();
    for (const source of args.values('scenario')) await useScenario(server, source, state === undefined);
    const content = async (): Promise<Iterable<string>> => snapshotToLines(await server.state());
    if (statePath !== undefined) stateFile = new StateFile(statePath, content, onError);
    await stateFile?.save();
    const keyFile = await writeKey(server, keyPath);
    const { baseUrl, apiKey } = server.clientOptions();
    // This key works only with this mock, and the user needs to read it.
    terminal.secrets.reveal(apiKey);
    const shell = currentShell();
    const text = `The mock platform is listening at ${terminal.output.style('bold', baseUrl)}. In another terminal:

  ${shell.set('CORRIDOR_BASE_URL', baseUrl)}
  ${shell.set('CORRIDOR_API_KEY', apiKey)}
  ${shell.setToFile('CORRIDOR_PRIVATE_KEY', keyFile)}
  ${shell.corridor('doctor')}
`;
    await printBanner(server, { apiKey, keyFile, seed: server.platform.seed }, text, args, terminal);
    const note = clockNote(server);
    if (note !== undefined) await terminal.notes.line(note);
  };
  await untilStopped(server, start, async () => stateFile?.close());
  if (!args.has('json')) await terminal.notes.line('\nStopped.');
  return exitCodes.done;
}

/** Serves the console in front of a real platform. */
async function runUpstream(args: MockArguments, terminal: Terminal, onError: OnError): Promise<number> {
  rejectOptions(args, ['seed', 'populate', 'state', 'scenario', 'key-file'], 'the mock');
  if (!args.has('record')) rejectOptions(args, ['sensitive'], '--record');
  const { readPlatformFile, updatePlatformFile } = await import('./verify/platform-file.js');
  const { recordedExchange } = await import('../mock/upstream/recording.js');
  const [reportPath, recordPath, upstream] = [args.value('report'), args.value('record'), args.value('upstream')];
  const recorded = reportPath === undefined ? undefined : readPlatformFile(reportPath);
  const record = (text: string): void => {
    try {
      if (recordPath !== undefined) appendFileSync(recordPath, text, { mode: 0o600 });
    } catch (error) {
      throw unwritable(recordPath, error, 'Pass another file');
    }
  };
  record('');
  let report: StateFile | undefined;
  const server = await serve({ ...serverOptions(args, terminal), upstream });
  server.platform.internals().exchanges.subscribe((change, response) => {
    const line = recordedExchange(change, response, args.has('sensitive'));
    try {
      if (line !== undefined) record(`${JSON.stringify(line)}\n`);
    } catch (error) {
      onError(error as CommandError);
    }
    report?.changed();
  });
  const content = async (): Promise<string> => {
    const rows = server.platform.upstream?.().rows ?? [];
    const results = rows.map((row) => ({ ...row, isSample: true }));
    return `${jsonText(updatePlatformFile(recorded, results), 2)}\n`;
  };
  const start = async (): Promise<void> => {
    if (reportPath !== undefined) report = new StateFile(reportPath, content, onError, 0o644);
    await report?.save();
    const { baseUrl } = server.clientOptions();
    const text = `Requests to ${terminal.output.style('bold', baseUrl)} are passed on to ${upstream}, and to no other host. In another terminal:

  ${currentShell().set('CORRIDOR_BASE_URL', baseUrl)}

Keep the key and the API key of your program: the platform verifies them.`;
    await printBanner(server, { upstream }, text, args, terminal);
  };
  await untilStopped(server, start, async () => report?.close());
  return exitCodes.done;
}

/** Runs a server until a signal, or until its start fails. */
async function untilStopped(
  server: MockPlatformServer,
  start: () => Promise<void>,
  end: () => Promise<void>,
): Promise<void> {
  const stop = new Promise<void>((resolveStop) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolveStop());
  });
  try {
    await start();
    await stop;
  } finally {
    await server.close();
    await end();
  }
}

/** Runs work with the content of a file. An error of the mock names the file. */
async function ofFile<T>(file: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { syscall, name, message } = error as NodeJS.ErrnoException;
    if (name !== 'MockPlatformError' && syscall === undefined) throw error;
    throw new CommandError(`${file}: ${message.replace(/^(?:\w+\.)?\w+: /, '')}`);
  }
}

async function serve(serveOptions: ServeOptions, statePath = ''): Promise<MockPlatformServer> {
  const { serveMockPlatform } = await import('../mock/node.js');
  try {
    return await serveMockPlatform(serveOptions);
  } catch (error) {
    const { syscall, code, name, message } = error as NodeJS.ErrnoException;
    const { host = '127.0.0.1', port } = serveOptions;
    if (syscall !== undefined)
      throw new CommandError(
        `cannot listen at ${host}:${port} (${code}). Pass another --port (0: a free one) or --host`,
      );
    if (name !== 'MockPlatformError') throw error;
    const text = message.replace(/^(?:serve|create)MockPlatform: /, '');
    if (text.startsWith('state: ')) throw new CommandError(`${statePath}${text.slice('state'.length)}`);
    throw new UsageError(
      text.replace(/^([a-z]+)(?:\[\d+\])?/i, (_, option: string) => optionNames[option] ?? `--${option}`),
    );
  }
}

/** The options of the server that have another name here. */
const optionNames: Readonly<Record<string, string>> = {
  allowedHosts: '--allowed-host',
  controlToken: 'the control token',
};

async function printBanner(
  server: MockPlatformServer,
  facts: object,
  text: string,
  args: MockArguments,
  { output, environment }: Terminal,
): Promise<void> {
  const control = `${server.url}/__mock`;
  const isOwn = readVariable(environment, 'CORRIDOR_MOCK_CONTROL_TOKEN') !== '';
  const controlToken = isOwn ? undefined : server.controlToken;
  const { baseUrl } = server.clientOptions();
  if (args.has('json'))
    return output.line(jsonText({ baseUrl, control, controlToken, ...facts, processId: process.pid }));
  // On loopback the server requires no token.
  const token = args.has('allowed-host') ? controlToken : undefined;
  return output.write(`${text}
The console is at ${control}/console${token === undefined ? '' : `#token=${token}`}
Tests in any language control it at ${control} (GET lists the calls).
${token === undefined ? '' : `Other machines send the control token: authorization: Bearer ${token}\n`}Ctrl+C stops it.
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
    ...(platform !== undefined && { platform: readJsonObject(`@${platform}`) as ServeOptions['platform'] }),
    control: true,
    ...(args.has('log') && {
      onResponse: (request, duration) => void output.line(requestLine(request, duration, args.has('json'))),
    }),
  };
}

/** Adds the scenario of a file to those that the platform knows, and loads it, unless the platform continues a state. */
async function useScenario({ platform }: MockPlatformServer, source: string, isLoaded: boolean): Promise<void> {
  const isKnown = platform.scenarios.list().some(({ name }) => name === source);
  await ofFile(`--scenario ${source}`, () => {
    // The platform validates it, and reports an unknown name.
    if (!isKnown && existsSync(source)) platform.scenarios.add(basename(source, '.json'), readJsonObject(`@${source}`));
    if (isLoaded) platform.scenarios.load(isKnown ? source : basename(source, '.json'));
  });
}

/** Returns the path of the private key, and writes the file if necessary. */
async function writeKey(server: MockPlatformServer, keyPath: string | undefined): Promise<string> {
  const path = resolve(keyPath ?? join(temporaryFolder(), 'key.pem'));
  const { privateKey } = await ofFile(path, () => server.credentials());
  if (existsSync(path)) return path;
  try {
    writeFileSync(path, privateKey, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    throw unwritable(path, error);
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
      throw unwritable(this.#path, error);
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
