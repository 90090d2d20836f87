import type { PaymentChange, PaymentStatus, RequestErrorEvent } from '../../index.js';
import type { SqliteCheckpointStore } from '../../journal/sqlite.js';
import {
  integerOption,
  optionLines,
  parseArguments,
  readInput,
  rejectArguments,
  type Arguments,
} from '../arguments.js';
import { exitCodes, UsageError, withoutAdvice, type Command } from '../command.js';
import { abortOnSignal } from '../interrupt.js';
import { jsonText } from '../print/text.js';
import { currentShell } from '../shell.js';
import type { Output, Terminal } from '../terminal.js';
import { settingsOptions } from '../settings-source.js';

const options = {
  once: { about: 'prints the changes until now, and ends' },
  status: {
    value: '<names>',
    about: 'prints only changes to these statuses: COMPLETED,REJECTED',
  },
  since: {
    value: '<time>',
    about: 'without a stored checkpoint, prints the payments created since then (2026-01-01T00:00Z)',
  },
  checkpoint: { value: '<file>', about: 'stores the position in a SQLite file, and continues from it' },
  'forward-to': { value: '<url>', about: 'posts each change to this URL as a signed webhook' },
  'secret-file': { value: '<file>', about: 'the secret of the webhooks (default: CORRIDOR_WEBHOOK_SECRET)' },
  'max-attempts': { value: '<n>', about: 'ends if a webhook failed this often (default: 20, which takes an hour)' },
  ...settingsOptions,
} as const;

type FollowArguments = Arguments<typeof options>;

/** `corridor follow` */
export const command: Command = {
  options,
  help: () => `Usage: corridor follow [options]

Polls for new payments and for changes of their status, and prints each as one line of JSON:

  {"payment":{"id":"pay_1","status":"COMPLETED",…},"previousStatus":"PROCESSING"}

previousStatus is null for a new payment. Without --since and --checkpoint, it begins with the changes from now on.
With --checkpoint, no change is lost: after a crash, the changes of the last poll can be printed again. One process at a
time uses the file; a second one waits and takes over.

  corridor follow --status ${currentShell().quote('COMPLETED,RETURNED')} --checkpoint follow.sqlite
  corridor follow --once --since 2026-01-01T00:00Z --checkpoint follow.sqlite
  corridor follow --forward-to https://shop.example/webhooks --checkpoint follow.sqlite

--forward-to posts changes in order, with the headers and signatures of Standard Webhooks. The next one is posted after a
status 2xx. The same change has the same webhook-id, also after a restart; after a crash, the last ones can be posted
again, because storing the position takes at most a tenth of the time. It prints a line for each accepted webhook.

${optionLines(options)}
`,
  async run(argv, terminal) {
    const args = parseArguments(argv, options);
    rejectArguments(args.positionals);
    const stop = new AbortController();
    const deliver = await deliveryOf(args, terminal, stop.signal);
    const [{ Corridor }, { redactingFetch }] = await Promise.all([import('../../index.js'), import('../redact.js')]);
    const corridor = new Corridor({
      fetch: redactingFetch(terminal.secrets),
      userAgent: 'corridor-follow',
      hooks: { onError: (event) => noteFailedPoll(event, terminal.notes) },
    });
    const file = args.value('checkpoint');
    const store = file === undefined ? undefined : await openStore(file, terminal.notes);
    let delivered: PaymentChange | undefined;
    let nextSave = 0;
    let isSaved = true;
    // Otherwise the next run would deliver the whole poll again.
    const saveDelivered = async (): Promise<void> => {
      if (delivered === undefined || store === undefined) return;
      const problem = await store.save(delivered.checkpoint).catch((error: unknown) => error as Error);
      if (problem !== undefined && isSaved)
        await terminal.notes.line(
          `The position was not stored in ${file} (${problem.message}). After a crash, changes since the last stored one are repeated.`,
        );
      isSaved = problem === undefined;
    };
    // The row is written before the signal releases the lease.
    stop.signal.addEventListener('abort', () => void saveDelivered());
    abortOnSignal(stop);
    try {
      const changes = corridor.payments.changes({
        once: args.has('once'),
        // The client rejects unknown statuses before it sends anything.
        statuses: args
          .value('status')
          ?.split(',')
          .map((name) => name.trim() as PaymentStatus),
        since: args.value('since'),
        store,
        onCheckpoint: () => (delivered = undefined),
        signal: stop.signal,
      });
      // The next change is requested only after this one is delivered: a checkpoint never skips one.
      for await (const change of changes) {
        try {
          await deliver(change);
        } catch (error) {
          await saveDelivered();
          throw error;
        }
        delivered = change;
        const started = performance.now();
        if (!args.has('forward-to') || started < nextSave) continue;
        await saveDelivered();
        // The checkpoint contains every open payment: with many, storing it takes longer than a webhook.
        nextSave = performance.now() + 10 * (performance.now() - started);
      }
    } catch (error) {
      if (!stop.signal.aborted) throw error;
    } finally {
      store?.close();
    }
    return exitCodes.done;
  },
};

/** Returns a function that prints a change or posts it. */
async function deliveryOf(
  args: FollowArguments,
  { output, notes, environment, secrets }: Terminal,
  signal: AbortSignal,
): Promise<(change: PaymentChange) => Promise<void>> {
  const address = args.value('forward-to');
  if (address === undefined) {
    const extra = (['secret-file', 'max-attempts'] as const).find((name) => args.has(name));
    if (extra !== undefined) throw new UsageError(`--${extra} applies to --forward-to only; remove it`);
    return ({ payment, previousStatus }) => output.line(jsonText({ payment, previousStatus: previousStatus ?? null }));
  }
  const { parseEndpoint, parseSecrets, postChange } = await import('./webhook.js');
  const secretFile = args.value('secret-file');
  const secret = secretFile === undefined ? (environment['CORRIDOR_WEBHOOK_SECRET'] ?? '') : readInput(secretFile);
  if (secret.trim() === '')
    throw new UsageError(
      'the secret of the webhooks is missing. Set CORRIDOR_WEBHOOK_SECRET, or pass a file with --secret-file',
    );
  for (const text of secret.split(/\s+/)) secrets.add(text);
  const webhook = {
    url: parseEndpoint(address),
    signers: parseSecrets(secret),
    maxAttempts: integerOption('max-attempts', args.value('max-attempts') ?? '20', 1, 1000),
    notes,
  };
  if (!args.has('checkpoint') && !args.has('once'))
    await notes.line('Without --checkpoint, changes are lost while this command does not run.');
  return async (change) => {
    const result = await postChange(change, webhook, signal);
    await output.line(jsonText({ paymentId: change.payment.id, status: change.payment.status, ...result }));
  };
}

async function openStore(file: string, notes: Output): Promise<SqliteCheckpointStore> {
  const { SqliteCheckpointStore: Store } = await import('../../journal/sqlite.js');
  class NotingStore extends Store {
    #isWaiting = false;

    override async acquire(): ReturnType<SqliteCheckpointStore['acquire']> {
      const lease = await super.acquire();
      if (lease === undefined && !this.#isWaiting) {
        this.#isWaiting = true;
        const seconds = this.leaseDuration / 1_000;
        await notes.line(`Another process uses ${file}. This one takes over within ${seconds} seconds after it ends.`);
      }
      return lease;
    }
  }
  return withoutAdvice(() => new NotingStore(file));
}

// The errors that a later poll can repair; any other error ends the command, which prints it.
const repeatedErrors: ReadonlySet<string> = new Set(['connection', 'timeout', 'rate-limit', 'server']);

function noteFailedPoll({ endpoint, code, status }: RequestErrorEvent, notes: Output): void {
  if (!repeatedErrors.has(code)) return;
  const cause = status === undefined ? code : `${code}, status ${status}`;
  void notes.line(`${endpoint} failed (${cause}). It is repeated after a delay.`);
}
