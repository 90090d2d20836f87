import { integerOption, optionLines, rejectOptions, statusesOf, unknownStatusOption } from './arguments.js';
import { exitCodes, UsageError, type Command, type Arguments } from './command.js';
import { Forwarder } from './forward.js';
import { interruptible } from './interrupt.js';
import { mirrorOptions, selectMirror, type OpenMirror } from './open-mirror.js';
import { Outage, timeoutOption } from './outage.js';
import { jsonText, toPrintable } from './print/text.js';
import { createClient } from './create-client.js';
import { readVariable, settingsOptions } from './settings-source.js';
import { currentShell } from './shell.js';
import type { Terminal } from './terminal.js';
import { parseEndpoint, parseSecrets, postWebhook, type WebhookOptions } from './webhook.js';
import { paymentStatuses } from '../contract/schema/payments.js';
import type { Corridor, PaymentChange } from '../index.js';

const forwardOptions = {
  'forward-to': { value: '<url>', about: 'posts each change to this URL as a signed webhook' },
  ...mirrorOptions,
  position: { value: '<name>', about: 'the name of the position in the copy (default: the URL without its query)' },
  'max-attempts': { value: '<n>', about: 'ends if a webhook failed this often (default: 20, which takes an hour)' },
} as const;

const options = {
  once: { about: 'prints or posts the changes until now, and ends' },
  status: { value: '<names>', about: 'only changes to these statuses: COMPLETED,REJECTED' },
  ...unknownStatusOption,
  since: { value: '<time>', about: 'prints the payments created since then, too (2026-01-01T00:00Z)' },
  ...forwardOptions,
  ...timeoutOption,
  ...settingsOptions,
} as const;

type FollowArguments = Arguments<typeof options>;

/** `corridor follow` */
export const command: Command<typeof options> = {
  options,
  help: () => `Usage: corridor follow [options]

Polls for new payments and for changes of their status, and prints each as one line of JSON, or on a terminal as
one line to read:

  {"payment":{"id":"pay_1","status":"COMPLETED",…},"previousStatus":"PROCESSING"}

previousStatus is null for a new payment. Without --since, it begins with the changes from now on.

  corridor follow --status ${currentShell().quote('COMPLETED,RETURNED')}
  corridor follow --once --since 2026-01-01T00:00Z
  corridor follow --forward-to https://shop.example/webhooks --sqlite webhooks.sqlite

--forward-to keeps a copy of all records, as corridor sync --sensitive does, and posts the changes of payments in it, in
order, with the headers and signatures of Standard Webhooks. The next one is posted after a status 2xx. The position is
in the copy: after a restart or a crash it continues, the first time it begins with the changes from now on. A change
that is posted again has the same webhook-id. It prints a line for each accepted webhook. Several processes can use one
copy; one of them posts.

${optionLines(options)}
`,
  async run(args, terminal) {
    const { output, notes, secrets } = terminal;
    const webhooks = webhooksOf(args, terminal);
    const openMirror = webhooks === undefined ? undefined : selectMirror(args, true, terminal);
    const passed = statusesOf(args, paymentStatuses);
    const statuses = passed.length === 0 ? undefined : passed;
    const outage = new Outage(notes);
    const timeout = outage.timeout(args);
    const corridor = await createClient('follow', secrets, { hooks: outage.hooks });
    const once = args.has('once');
    const opened = await openMirror?.();
    if (output.isTerminal && !once) await notes.line('Following payments. Press Ctrl+C to end.');
    const run = async (stop: AbortController): Promise<number> => {
      if (webhooks === undefined || opened === undefined) {
        const changes = corridor.payments.changes({ once, statuses, since: args.value('since'), signal: stop.signal });
        for await (const change of changes) await output.line(output.isTerminal ? lineOf(change) : jsonOf(change));
      } else {
        const { origin, pathname } = webhooks.url;
        const forwarder = new Forwarder(opened.mirror, {
          name: args.value('position') ?? `${origin}${pathname}`,
          once,
          statuses: statuses?.map((status) => (typeof status === 'object' ? status.unknownValue : status)),
          notes,
          deliver: async (event, sequence) => {
            const result = await postWebhook(event, sequence, webhooks, stop.signal);
            const { id, status } = event.data.payment;
            await output.line(jsonText({ paymentId: id, status, ...result }));
          },
        });
        await forwarder.start();
        await syncAndForward(corridor, opened.mirror, forwarder, { once, stop });
      }
      return exitCodes.done;
    };
    return interruptible(run, () => exitCodes.done, timeout).finally(() => opened?.close());
  },
};

/** Returns where and how to post; undefined without `--forward-to`. Throws `UsageError`. */
function webhooksOf(args: FollowArguments, { notes, environment }: Terminal): WebhookOptions | undefined {
  const address = args.value('forward-to');
  if (address === undefined) {
    rejectOptions(args, Object.keys(forwardOptions) as (keyof typeof forwardOptions)[], '--forward-to');
    return undefined;
  }
  rejectOptions(args, ['since'], 'changes that are printed');
  const secret = readVariable(environment, 'CORRIDOR_WEBHOOK_SECRET');
  if (secret === '') throw new UsageError('the secret of the webhooks is missing. Set CORRIDOR_WEBHOOK_SECRET');
  const url = parseEndpoint(address);
  return {
    url,
    signers: parseSecrets(secret),
    maxAttempts: integerOption('max-attempts', args.value('max-attempts') ?? '20', 1, 1000),
    notes,
  };
}

/** Keeps the mirror true, and posts its changes. If one fails, both end. */
async function syncAndForward(
  corridor: Corridor,
  mirror: OpenMirror['mirror'],
  forwarder: Forwarder,
  { once, stop }: { readonly once: boolean; readonly stop: AbortController },
): Promise<void> {
  if (once) {
    await corridor.sync(mirror, { once, signal: stop.signal });
    return forwarder.run(stop.signal);
  }
  let failure: { readonly error: unknown } | undefined;
  const end = (error: unknown): void => {
    if (!stop.signal.aborted) failure = { error };
    stop.abort();
  };
  await Promise.all([corridor.sync(mirror, { signal: stop.signal }).catch(end), forwarder.run(stop.signal).catch(end)]);
  if (failure !== undefined) throw failure.error;
}

const jsonOf = ({ payment, previousStatus }: PaymentChange): string =>
  jsonText({ payment, previousStatus: previousStatus ?? null });

/** Returns a change as a line for people. */
function lineOf({ payment, previousStatus = 'new' }: PaymentChange): string {
  const { id, status, amount, currencyCode, internalReference, updatedAt } = payment;
  return toPrintable(
    `${updatedAt}  ${id}  ${previousStatus} -> ${status}  ${amount} ${currencyCode}  ${internalReference ?? ''}`.trimEnd(),
  );
}
