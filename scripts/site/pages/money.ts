import { calls, decisions } from '../vitepress/decisions.ts';

/** Returns the page with the decision table: to click through, and as a table below. */
export function moneyText(): string {
  const tables = calls.map(({ call, text }) => {
    const rows = decisions
      .filter((decision) => decision.call === call)
      .map(
        ({ sign, money, repeat, next, link }) =>
          `| ${toCode(sign)} | ${money} | ${repeat} | ${next} [Details](${toPage(link)}) |`,
      );
    return [
      `### ${text}`,
      '',
      '| error | your money | call again? | next step |',
      '| --- | --- | --- | --- |',
      ...rows,
    ].join('\n');
  });
  return `# What does this error mean for my money

Every error has a \`code\` and an \`outcome\`, which says whether the call took effect: see [errors](/errors.md). Choose what you have:

<MoneyDecision />

## All cases

${tables.join('\n\n')}
`;
}

const toPage = (link: string): string => link.replace(/^([^#]+)/, '$1.md');

const toCode = (sign: string): string => sign.replaceAll(/'([\w-]+)'/g, '`$1`');
