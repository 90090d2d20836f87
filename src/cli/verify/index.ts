import { listOption, optionLines, readJsonObject } from '../arguments.js';
import { UsageError, type Command, type Arguments } from '../command.js';
import { readVariable, settingsOptions } from '../settings-source.js';
import type { PaymentTemplate, Writes } from './session.js';

const defaultFile = 'corridor.platform.json';

/** The options of `corridor verify`. */
const options = {
  'allow-writes': {
    value: '<host>',
    about: 'also sends writes; must be the host of CORRIDOR_BASE_URL',
  },
  payment: { value: '<json>', about: 'the payment to create, as JSON or @file, without its quote and documents' },
  quote: { value: '<ids>', about: 'one or two quotes that payments may use up: quo_1,quo_2' },
  document: { value: '<ids>', about: 'the documents of the payment, with an invoice' },
  yes: { about: 'skips the question before the writes' },
  out: { value: '<file>', about: 'the file with the results (default: corridor.platform.json)' },
  check: { about: 'writes no file, and fails if a result differs from that in the file' },
  json: { about: 'prints the results as JSON' },
  ...settingsOptions,
} as const;

/** `corridor verify` */
export const command: Command<typeof options> = {
  options,
  help: () => `Usage: corridor verify [options]

Tests the assumptions of docs/assumptions.md on your platform. It only reads, unless you pass --allow-writes. It prints
what is contradicted and what is confirmed, with request ids as evidence, and which options would test more. It writes
the settings that match the platform to ${defaultFile}, for the client (dialect) and the mock (dialect and behavior).

  corridor verify
  corridor verify --check
  corridor verify --allow-writes sandbox.example --payment @payment.json --quote quo_1,quo_2 --document doc_1

${optionLines(options)}

Writes use only these quotes and documents. Before the first request, the command prints the largest possible loss; at the
end, and when it is interrupted, it lists each record that it made. With --check, what an earlier run tested and this one
does not is no change. The exit code is 0 if every result is confirmed, not tested or as in the file, otherwise 1.
`,
  async run(args, terminal) {
    const writes = readWrites(args, readVariable(terminal.environment, 'CORRIDOR_BASE_URL'));
    const { verify } = await import('./run-probes.js');
    return verify(args, args.value('out') ?? defaultFile, writes, terminal);
  },
};

/** Reads what the writes may use. Throws `UsageError`. */
function readWrites(args: Arguments<typeof options>, baseUrl: string): Writes | undefined {
  const host = args.value('allow-writes');
  if (host === undefined) {
    const unused = (['payment', 'quote', 'document', 'yes'] as const).find((name) => args.has(name));
    if (unused !== undefined)
      throw new UsageError(`--${unused} needs --allow-writes with the host of CORRIDOR_BASE_URL; nothing was sent`);
    return undefined;
  }
  const actual = URL.canParse(baseUrl) ? new URL(baseUrl).host : undefined;
  if (host !== actual)
    throw new UsageError(
      `--allow-writes is ${host}, but the host of CORRIDOR_BASE_URL ` +
        `is ${actual ?? 'missing'}; nothing was sent. Pass the host that you want to write to`,
    );
  const [quotes, documentIds] = [listOption(args, 'quote'), listOption(args, 'document')];
  const json = args.value('payment');
  if (json === undefined && quotes.length === 0 && documentIds.length === 0) return { payment: undefined, quotes: [] };
  if (json === undefined || quotes.length === 0 || documentIds.length === 0)
    throw new UsageError('--payment, --quote and --document belong together. Pass all three, or none of them');
  if (quotes.length > 2) throw new UsageError('--quote takes one or two quotes');
  return { payment: parsePayment(json, documentIds), quotes };
}

function parsePayment(source: string, documentIds: readonly string[]): PaymentTemplate {
  const fields = readJsonObject(source, '--payment');
  const { amount, currencyCode } = fields;
  if (typeof amount !== 'string' || typeof currencyCode !== 'string')
    throw new UsageError(
      '--payment must be an object with customerId, beneficiaryId, amount, currencyCode and purposeOfPayment',
    );
  if ('paymentQuoteId' in fields || 'documentIds' in fields)
    throw new UsageError('--payment must not contain paymentQuoteId or documentIds: pass --quote and --document');
  return { ...fields, amount, currencyCode, documentIds };
}
