import { UsageError } from '../command.js';
import { readInput, type Arguments } from '../arguments.js';
import { settingsOptions } from '../settings-source.js';

/** The options of `corridor verify`. */
export const options = {
  'allow-writes': {
    value: '<host>',
    about: 'also sends writes; must be the host of CORRIDOR_BASE_URL',
  },
  payment: { value: '<json>', about: 'the payment to create, as JSON or @file, without its quote and documents' },
  quote: { value: '<ids>', about: 'one or two quotes that payments may use up: quo_1,quo_2' },
  document: { value: '<ids>', about: 'the documents of the payment, with an invoice' },
  'delete-document': { value: '<id>', about: 'a document that is deleted, to see what a DELETE does' },
  yes: { about: 'skips the question before the writes' },
  person: { value: '<ids>', about: 'a person to read the screening of: cus_1/per_1' },
  attachment: { value: '<ids>', about: 'an attachment to request the URL of: tic_1/att_1' },
  'probe-auth': { about: 'sends invalid and replayed tokens' },
  'probe-limits': { about: 'sends requests until the platform limits them, and a large body with --allow-writes' },
  out: { value: '<file>', about: 'the file with the results (default: corridor.platform.json)' },
  check: { about: 'writes no file, and fails if a result differs from that in the file' },
  report: { value: '<file>', about: 'writes a report in Markdown' },
  json: { about: 'prints the results as JSON' },
  ...settingsOptions,
} as const;

/** The payment that the writes create, without its quote. */
export interface PaymentTemplate {
  readonly amount: string;
  readonly currencyCode: string;
  readonly documentIds: readonly string[];
  readonly [field: string]: unknown;
}

/** What the writes may use. */
export interface Writes {
  readonly payment: PaymentTemplate | undefined;
  /** The quotes that may be used up. */
  readonly quotes: readonly string[];
  /** The document that is deleted. */
  readonly deletedDocument: string | undefined;
}

/** What a probe can need besides reads. */
export type Permission = 'writes' | 'probe-auth' | 'probe-limits';

/** What a run may do. */
export interface Settings {
  /** Absent without --allow-writes. */
  readonly writes: Writes | undefined;
  readonly person: readonly [customerId: string, personId: string] | undefined;
  readonly attachment: readonly [ticketId: string, attachmentId: string] | undefined;
  readonly permissions: ReadonlySet<Permission>;
  /** The most requests of one burst, with `probe-limits`. */
  readonly maxBurst: number;
}

/** Reads the settings of a run. Throws `UsageError`. */
export function readSettings(args: Arguments<typeof options>, baseUrl: string | undefined): Settings {
  const writes = readWrites(args, baseUrl);
  const permissions = (['probe-auth', 'probe-limits'] as const).filter((name) => args.has(name));
  return {
    writes,
    person: pairOf(args, 'person'),
    attachment: pairOf(args, 'attachment'),
    maxBurst: 300,
    permissions: new Set([...permissions, ...(writes === undefined ? [] : (['writes'] as const))]),
  };
}

function readWrites(args: Arguments<typeof options>, baseUrl: string | undefined): Writes | undefined {
  const host = args.value('allow-writes');
  if (host === undefined) {
    const [unused] = (['payment', 'quote', 'document', 'delete-document', 'yes'] as const).filter((name) =>
      args.has(name),
    );
    if (unused !== undefined)
      throw new UsageError(`--${unused} needs --allow-writes with the host of CORRIDOR_BASE_URL; nothing was sent`);
    return undefined;
  }
  const actual = baseUrl !== undefined && URL.canParse(baseUrl) ? new URL(baseUrl).host : undefined;
  if (host !== actual)
    throw new UsageError(
      `--allow-writes is ${host}, but the host of CORRIDOR_BASE_URL is ${actual ?? 'missing'}; nothing was sent. Pass the host that you want to write to`,
    );
  return { ...readPayment(args), deletedDocument: args.value('delete-document') };
}

function readPayment(args: Arguments<typeof options>): Pick<Writes, 'payment' | 'quotes'> {
  const [quotes, documentIds] = [idsOf(args, 'quote'), idsOf(args, 'document')];
  const json = args.value('payment');
  if (json === undefined && quotes.length === 0 && documentIds.length === 0) return { payment: undefined, quotes: [] };
  if (json === undefined || quotes.length === 0 || documentIds.length === 0)
    throw new UsageError('--payment, --quote and --document belong together. Pass all three, or none of them');
  if (quotes.length > 2) throw new UsageError('--quote takes one or two quotes');
  return { payment: parsePayment(json, documentIds), quotes };
}

function parsePayment(source: string, documentIds: readonly string[]): PaymentTemplate {
  let payment: unknown;
  const text = source.startsWith('@') ? readInput(source.slice(1), '--payment') : source;
  try {
    payment = JSON.parse(text);
  } catch {
    throw new UsageError('--payment is not valid JSON');
  }
  const fields = Object(payment) as Readonly<Record<string, unknown>>;
  const { amount, currencyCode } = fields;
  if (typeof amount !== 'string' || typeof currencyCode !== 'string')
    throw new UsageError(
      '--payment must be an object with customerId, beneficiaryId, amount, currencyCode and purposeOfPayment',
    );
  if ('paymentQuoteId' in fields || 'documentIds' in fields)
    throw new UsageError('--payment must not contain paymentQuoteId or documentIds: pass --quote and --document');
  return { ...fields, amount, currencyCode, documentIds };
}

function idsOf(args: Arguments<typeof options>, name: 'quote' | 'document'): readonly string[] {
  return (args.value(name) ?? '')
    .split(',')
    .map((id) => id.trim())
    .filter((id) => id !== '');
}

function pairOf(args: Arguments<typeof options>, name: 'person' | 'attachment'): readonly [string, string] | undefined {
  const text = args.value(name);
  if (text === undefined) return undefined;
  const [first = '', second = '', ...others] = text.split('/');
  if (first === '' || second === '' || others.length > 0)
    throw new UsageError(`--${name} must be two ids with a slash between them: ${options[name].value}`);
  return [first, second];
}
