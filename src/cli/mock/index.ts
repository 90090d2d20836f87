import type { MockPlatformServer, ServeOptions } from '../../mock/node.js';
import { optionLines, parseArguments, rejectArguments } from '../arguments.js';
import { CommandError, exitCodes, UsageError, type Command } from '../command.js';
import { printError } from '../error.js';
import { jsonText } from '../print/text.js';
import { currentShell } from '../shell.js';
import type { Terminal } from '../terminal.js';
import { keysIn, writeKey } from './keys.js';
import { requestLine } from './request-line.js';
import { addScenarios, loadScenarios } from './scenarios.js';
import { options, populateSizes, serverOptions, type MockArguments } from './settings.js';
import { readState, StateFile } from './state-file.js';

/** `corridor mock` */
export const command: Command = {
  options,
  help: () => `Usage: corridor mock [options]

Serves a mock of the whole platform over HTTP, for clients in any language: it is stateful and verifies every signature.
It prints its address and credentials, and runs until it is stopped (Ctrl+C).
Under /__mock, tests in any language have the same control as tests in TypeScript: GET /__mock lists the calls.

${optionLines(options)}
`,
  async run(argv, terminal) {
    const args = parseArguments(argv, options);
    rejectArguments(args.positionals);
    const keyFiles = { privateKey: args.value('key-file'), publicKey: args.value('public-key') };
    const sizes = populateSizes(args);
    const statePath = args.value('state');
    const state = statePath === undefined ? undefined : readState(statePath);
    let stateFile: StateFile | undefined;
    const server = await serve(
      {
        ...serverOptions(args, terminal),
        ...keysIn(keyFiles),
        state,
        onChange: () => stateFile?.changed(),
        ...(args.has('log') && {
          onResponse: (request, duration) =>
            void terminal.output.line(requestLine(request, duration, args.has('json'))),
        }),
      },
      statePath,
    );
    const stop = untilStopped();
    try {
      const scenarios = addScenarios(server.platform, args.values('scenario'));
      if (state === undefined) {
        if (sizes !== undefined) populate(server, sizes);
        loadScenarios(server.platform, scenarios);
      }
      const onError = (error: CommandError): void => void printError(terminal.notes, error, argv);
      const onRecovery = (): void => void (args.has('json') || terminal.notes.line(`${statePath} is written again`));
      if (statePath !== undefined) stateFile = new StateFile(statePath, server, onError, onRecovery);
      await stateFile?.start();
      const keyFile = await writeKey(server, keyFiles);
      await printBanner(server, keyFile, args, terminal);
      await stop;
    } finally {
      await server.close();
      await stateFile?.close();
    }
    if (!args.has('json')) await terminal.notes.line('\nStopped.');
    return exitCodes.done;
  },
};

async function serve(serveOptions: ServeOptions, statePath: string | undefined): Promise<MockPlatformServer> {
  const { serveMockPlatform } = await import('../../mock/node.js');
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
  dialect: '--dialect',
  privateKey: '--key-file',
  publicKey: '--public-key',
  seed: '--seed',
} satisfies Partial<Record<keyof ServeOptions, string>>;

const isOptionName = (name: string): name is keyof typeof optionNames => Object.hasOwn(optionNames, name);

/** Replaces the names of the server's options by those of the command, but not the names of fields and values in them. */
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
  const isGenerated = !args.has('control-token-file') && (environment['CORRIDOR_MOCK_CONTROL_TOKEN'] ?? '') === '';
  const controlToken = isGenerated ? server.controlToken : undefined;
  if (args.has('json'))
    return output.line(
      jsonText({
        baseUrl,
        control: `${baseUrl}/__mock`,
        ...(controlToken !== undefined && { controlToken }),
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
  const tokenOfOthers = args.has('allowed-host') ? controlToken : undefined;
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

function untilStopped(): Promise<void> {
  return new Promise((resolveStop) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolveStop());
  });
}
