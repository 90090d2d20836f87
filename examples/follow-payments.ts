import { readFile, rename, writeFile } from 'node:fs/promises';
import { AbortedError, Corridor, type ChangesCheckpoint, type ChangesOptions, type PaymentChange } from 'corridor-sdk';

/**
 * Follows payments and resumes after a restart: the checkpoint is in a file, and is stored after the changes before it
 * were handled. After a crash, a few changes are reported again, so `handle` must be idempotent.
 */
export async function followPayments(
  corridor: Corridor,
  file: string,
  handle: (change: PaymentChange) => void | Promise<void>,
  options: ChangesOptions = {},
): Promise<void> {
  const onCheckpoint = async (checkpoint: ChangesCheckpoint): Promise<void> => {
    await writeFile(`${file}.new`, JSON.stringify(checkpoint));
    await rename(`${file}.new`, file);
  };
  try {
    for await (const change of corridor.payments.changes({
      ...options,
      since: (await stored(file)) ?? options.since,
      onCheckpoint,
    }))
      await handle(change);
  } catch (error) {
    if (!(error instanceof AbortedError)) throw error;
  }
}

async function stored(file: string): Promise<ChangesCheckpoint | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as ChangesCheckpoint;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

// node examples/follow-payments.ts checkpoint.json [for how many seconds]
if (import.meta.main) {
  const [file = 'checkpoint.json', seconds = '86400'] = process.argv.slice(2);
  const yesterday = new Date(Date.now() - 24 * 60 * 60_000);
  const print = ({ payment, previousStatus }: PaymentChange): void =>
    console.log(`${payment.id}: ${previousStatus ?? 'new'} -> ${payment.status}`);
  await followPayments(new Corridor(), file, print, {
    since: yesterday,
    signal: AbortSignal.timeout(Number(seconds) * 1000),
  });
}
