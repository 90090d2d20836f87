import { version } from '../../version.js';
import { optionLines } from '../arguments.js';
import { exitCodes, UsageError, type Command } from '../command.js';
import type { CheckResult, CheckStatus } from './check.js';
import { currentShell } from '../shell.js';
import type { Output } from '../terminal.js';
import { pad, jsonText, toPrintable } from '../print/text.js';
import { settingsOptions } from '../settings-source.js';

const options = {
  signer: { value: '<file>', about: 'checks the signer that this module exports, instead of the private key' },
  'public-key': { value: '<file>', about: 'the public key of the signer, as PEM' },
  json: { about: 'prints the results as JSON' },
  ...settingsOptions,
} as const;

/** The oldest version of Node that the package supports, as in `engines` of package.json. */
const minNodeVersion = 22;

/** `corridor doctor` */
export const command: Command<typeof options> = {
  options,
  help: () => `Usage: corridor doctor [options]

Checks the version of Node and the settings with the rules of the client, makes a signed read that changes nothing and has
no personal data, compares the clocks, and suggests a fix for each problem.
It prints no secrets. The exit code is 1 if a check failed, otherwise 0; warnings are not failures.

${optionLines(options)}
`,
  async run(args, { output, environment, settings: source, secrets }) {
    const [signer, publicKey] = [args.value('signer'), args.value('public-key')];
    if ((signer === undefined) !== (publicKey === undefined))
      throw new UsageError('--signer and --public-key belong together. Pass both, or neither');
    const [{ checkRead }, { checkCredentials }] = await Promise.all([
      import('./signed-read.js'),
      import('./credentials.js'),
    ]);
    const asJson = args.has('json');
    const results: CheckResult[] = [];
    const report = async (result: CheckResult): Promise<void> => {
      results.push(result);
      if (!asJson) await printCheck(output, result);
    };
    if (!asJson)
      await output.line(
        `corridor-sdk ${version} on Node ${process.versions.node}` +
          `${source === 'the environment' ? '' : `, settings of ${source}`}\n`,
      );
    await report(nodeResult(process.versions.node));
    const signerFiles = signer === undefined || publicKey === undefined ? undefined : { signer, publicKey };
    await checkRead(await checkCredentials(environment, report, signerFiles), secrets, report);
    const failed = results.filter(({ status }) => status === 'failed').length;
    if (asJson)
      await output.line(
        jsonText({ ok: failed === 0, version, node: process.versions.node, settings: source, findings: results }, 2),
      );
    else await output.line(`\n${summary(results)}`);
    if (!asJson && results.some(({ detail }) => detail.endsWith(' is not set')))
      await output.line(
        `Without an account, run ${currentShell().corridor('mock --populate')}: it ` +
          'serves a mock of the platform and prints settings for it.',
      );
    return failed === 0 ? exitCodes.done : exitCodes.failed;
  },
};

const labels: Readonly<Record<CheckStatus, readonly [label: string, color: 'green' | 'yellow' | 'red' | 'dim']>> = {
  ok: ['ok', 'green'],
  warning: ['warning', 'yellow'],
  failed: ['FAILED', 'red'],
  skipped: ['skipped', 'dim'],
};

async function printCheck(output: Output, { check, status, detail, remedy }: CheckResult): Promise<void> {
  const [label, color] = labels[status];
  await output.line(`${output.style(color, pad(label, 7))}  ${pad(check, 11)}  ${toPrintable(detail)}`);
  if (remedy !== undefined) await output.line(`         ${output.style('cyan', '->')} ${toPrintable(remedy)}`);
}

function nodeResult(installed: string): CheckResult {
  const check = 'Node';
  if (Number.parseInt(installed, 10) >= minNodeVersion) return { check, status: 'ok', detail: installed };
  const detail = `${installed}, which is older than ${minNodeVersion}`;
  // What the client needs is in the last releases of Node 20, but it is not tested there.
  const status = /^20\.[2-9]\d\./.test(installed) ? 'warning' : 'failed';
  return { check, status, detail, remedy: `Install Node ${minNodeVersion} or newer` };
}

function summary(results: readonly CheckResult[]): string {
  const count = (expected: CheckStatus): number => results.filter(({ status }) => status === expected).length;
  const [failed, warnings] = [count('failed'), count('warning')];
  if (failed > 0) return `${failed} of ${results.length} checks failed; start with the first.`;
  return warnings > 0 ? `No failures; ${warnings === 1 ? '1 warning' : `${warnings} warnings`}.` : 'All checks passed.';
}
