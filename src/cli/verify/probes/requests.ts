import { confirmed, contradicted, notTestable, type Probe } from '../probe.js';
import { dryAmounts, dryRun, reasonOf, type DryAmount } from '../dry-run.js';
import { describeResponse } from '../session.js';

/** The patterns of amounts, by the amounts that each accepts. */
const patterns: readonly (readonly [pattern: string, ...accepted: DryAmount[]])[] = [
  [String.raw`^\d+(\.\d+)?$`, '1', '1.5', '1.50', '1.505'],
  [String.raw`^\d+(\.\d{1,2})?$`, '1', '1.5', '1.50'],
  [String.raw`^\d+(\.\d{2})?$`, '1', '1.50'],
  [String.raw`^\d+\.\d+$`, '1.5', '1.50', '1.505'],
  [String.raw`^\d+\.\d{2}$`, '1.50'],
  [String.raw`^\d+$`, '1'],
  [String.raw`^\d+(,\d{1,2})?$`, '1', '1,50'],
  [String.raw`^\d+,\d+$`, '1,50', '1,505'],
  [String.raw`^\d+,\d{2}$`, '1,50'],
];

const amountFormat: Probe = {
  row: 'A-18',
  question: 'the format of an amount',
  needs: ['writes'],
  settings: ['dialect.amountPattern'],
  async run(session) {
    const control = await dryRun(session, { amount: 'x' });
    const accepted: DryAmount[] = [];
    for (const amount of dryAmounts)
      if (reasonOf(await dryRun(session, { amount })) !== reasonOf(control)) accepted.push(amount);
    const evidence = `payments with unknown ids; accepted: ${accepted.join(' ') || 'no amount'}; "x": ${describeResponse(control)}`;
    const [first] = accepted;
    if (first === undefined) return notTestable(`the platform checks something else before the amount: ${evidence}`);
    // Otherwise, the amount would be the reason for all later errors.
    session.amount = first;
    const [pattern] = patterns.find(([, ...expected]) => expected.join(' ') === accepted.join(' ')) ?? [];
    if (pattern === patterns[0]?.[0]) return confirmed(evidence);
    return contradicted(
      evidence,
      'Amounts that the client accepts are rejected, or the other way round. Set dialect.amountPattern.',
      pattern === undefined ? undefined : { dialect: { amountPattern: pattern } },
    );
  },
};

const memoUnit: Probe = {
  row: 'A-19',
  question: 'the unit of the limit of 64 of `memo`',
  needs: ['writes'],
  async run(session) {
    // One code point, two UTF-16 code units, four bytes.
    const emoji = '\u{1f600}';
    const [valid, longest, tooLong] = [
      await dryRun(session, { memo: 'x' }),
      await dryRun(session, { memo: emoji.repeat(64) }),
      await dryRun(session, { memo: 'x'.repeat(65) }),
    ];
    const evidence = `64 emoji: ${describeResponse(longest)}; 65 letters: ${describeResponse(tooLong)}`;
    if (reasonOf(tooLong) === reasonOf(valid))
      return notTestable(`the platform checks something else before the memo: ${evidence}`);
    return reasonOf(longest) === reasonOf(valid)
      ? confirmed(evidence)
      : contradicted(
          evidence,
          'The limit counts UTF-16 code units or bytes. Shorten memos that contain emoji or other scripts yourself.',
        );
  },
};

/** The probes of requests that no platform can process. */
export const requestProbes: readonly Probe[] = [amountFormat, memoUnit];
