import type { PopulateSizes } from '../../mock/index.js';
import type { ServeOptions } from '../../mock/node.js';
import { integerOption, type Arguments } from '../arguments.js';
import { UsageError, type Options } from '../command.js';
import type { Terminal } from '../terminal.js';
import { parseFile, readText } from './files.js';

const defaultPort = 4010;

export const options = {
  host: { value: '<address>', about: 'the address to listen on, such as 0.0.0.0 (default: 127.0.0.1)' },
  port: { value: '<n>', about: `the port; 0 picks a free one (default: ${defaultPort})` },
  'allowed-host': {
    value: '<name>',
    about: 'a host name in URLs of the control API besides loopback; can be repeated, required for other addresses',
  },
  'control-token-file': {
    value: '<file>',
    about: 'the token of the control API (default: CORRIDOR_MOCK_CONTROL_TOKEN, else generated)',
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
  dialect: { value: '<file>', about: 'how the wire format differs from what the SDK assumes, as JSON' },
  'key-file': {
    value: '<file>',
    about:
      'the private key of the client: read if the file exists, else generated (default: in a new temporary folder)',
  },
  'public-key': {
    value: '<file>',
    about: 'the public key of a client that has its own private key; no key is generated',
  },
  log: { about: 'prints a line for each request: time, organization, method, path, status, error or fault, duration' },
  json: { about: 'prints one line of JSON when it is ready, and the log as lines of JSON' },
} as const satisfies Options;

export type MockArguments = Arguments<typeof options>;

/** Returns the options of the server in the command line and the environment. */
export function serverOptions(args: MockArguments, { environment }: Terminal): ServeOptions {
  const dialect = args.value('dialect');
  return {
    host: args.value('host'),
    port: integerOption('port', args.value('port') ?? String(defaultPort), 0, 65_535),
    allowedHosts: args.values('allowed-host'),
    controlToken: controlToken(args, environment),
    seed: args.value('seed'),
    // The server validates it.
    ...(dialect !== undefined && { dialect: parseFile(dialect, readText(dialect)) as ServeOptions['dialect'] }),
    control: true,
  };
}

/** Not an option, because other users of the machine can read command lines. */
function controlToken(args: MockArguments, environment: Terminal['environment']): string | undefined {
  const file = args.value('control-token-file');
  const token = file === undefined ? environment['CORRIDOR_MOCK_CONTROL_TOKEN'] : readText(file);
  return token === '' ? undefined : token?.trim();
}

/** Parses the value of `--populate`; undefined if the option was not passed. */
export function populateSizes(args: MockArguments): PopulateSizes | undefined {
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
