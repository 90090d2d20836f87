import { readFile, rename, writeFile } from 'node:fs/promises';
import { AbortedError, Corridor, type ChangesCheckpoint, type ChangesOptions, type PaymentChange } from 'corridor-sdk';

/**
 * Follows payments, and goes on where it stood when it is started again: the checkpoint lies in a file, and is stored once what came
 * before it is dealt with. A crash in between tells a few changes again, so `handle` should not mind hearing of one twice.
 */
export async function followPayments(corridor: Corridor, file: string, handle: (change: PaymentChange) => void | Promise<void>, options: ChangesOptions = {}): Promise<void> {
  const onCheckpoint = async (checkpoint: ChangesCheckpoint): Promise<void> => {
    await writeFile(`${file}.new`, JSON.stringify(checkpoint));
    await rename(`${file}.new`, file);
  };
  try {
    for await (const change of corridor.payments.changes({ ...options, since: (await stored(file)) ?? options.since, onCheckpoint })) await handle(change);
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
  const print = ({ payment, previousStatus }: PaymentChange): void => console.log(`${payment.id}: ${previousStatus ?? 'new'} -> ${payment.status}`);
  await followPayments(new Corridor(), file, print, { since: yesterday, signal: AbortSignal.timeout(Number(seconds) * 1000) });
}
