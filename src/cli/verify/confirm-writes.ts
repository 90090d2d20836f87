import { confirmAll } from '../journal/confirm.js';
import { toPrintable } from '../print/text.js';
import type { Output } from '../terminal.js';
import { maxDryLoss } from './dry-run.js';
import { maxPayments } from './payment-trial.js';
import type { Writes } from './settings.js';

/** Prints what the writes can cost, and asks for a confirmation. Throws `CommandError` if it is not confirmed. */
export async function confirmWrites(writes: Writes, host: string, isConfirmed: boolean, notes: Output): Promise<void> {
  const { payment, quotes, deletedDocument } = writes;
  const losses: string[] = [];
  await notes.line(`Writes to ${toPrintable(host)}:`);
  await notes.line('- invalid payments, with a quote and a document that do not exist, until one is accepted');
  if (payment !== undefined) {
    const count = maxPayments(writes);
    const { amount, currencyCode } = payment;
    losses.push(`${multiply(amount, count)} ${currencyCode}`);
    await notes.line(
      toPrintable(
        `- up to ${count} payments of ${amount} ${currencyCode}, with ${quotes.join(' and ')} and ${payment.documentIds.join(', ')}`,
      ),
    );
  }
  if (deletedDocument !== undefined) {
    losses.push(`the document ${deletedDocument}`);
    await notes.line(toPrintable(`- deletes the document ${deletedDocument}`));
  }
  await notes.line(
    toPrintable(
      `Largest possible loss: ${losses.join(', and ') || 'nothing'}; up to ${maxDryLoss} more if the platform accepts an invalid payment\n`,
    ),
  );
  if (!isConfirmed) await confirmAll([{ question: `Type ${host} to continue:`, expected: host }], notes);
}

/** Multiplies a decimal string. */
function multiply(amount: string, count: number): string {
  const [, whole, separator = '', decimals = ''] = /^(\d+)(?:([.,])(\d+))?$/.exec(amount) ?? [];
  if (whole === undefined) return `${count} times ${amount}`;
  const digits = String(BigInt(whole + decimals) * BigInt(count)).padStart(decimals.length + 1, '0');
  const end = digits.length - decimals.length;
  return `${digits.slice(0, end)}${separator}${digits.slice(end)}`;
}
