import { version } from '../version.js';
import { optionLines, parseArguments, refuseWords } from './arguments.js';
import { exitCodes, type Command } from './command.js';
import type { Finding, Status } from './finding.js';
import type { Output } from './terminal.js';
import { aligned, fitted, jsonText, plain } from './text.js';

const options = { json: { about: 'prints the findings as JSON' } } as const;

/** `corridor doctor` */
export const command: Command = {
  help: () => `Usage: corridor doctor [options]

Looks at what a client needs, one thing after the other, and says what to do where something is amiss:

${aligned([
  ['base URL', 'CORRIDOR_BASE_URL is a URL that a client takes'],
  ['API key', 'CORRIDOR_API_KEY looks like one'],
  ['private key', 'CORRIDOR_PRIVATE_KEY can sign; its thumbprint, to compare with the one of corridor keygen'],
  ['DNS', 'the name of the host leads somewhere'],
  ['TLS', 'a secure connection comes about, and how long the certificate is good'],
  ['signed read', 'the platform answers crypto.networks, which reads nothing personal and changes nothing'],
  ['clock', "how far this machine's clock is off the platform's"],
])}

It prints no secret. The exit code is 0 where nothing failed, else 1; a warning is no failure.

${optionLines(options)}
`,
  async run(words, { output, environment, secrets }) {
    const given = parseArguments(words, options);
    refuseWords(given.words);
    const [{ checkConnection }, { checkRead }, { checkSettings }] = await Promise.all([import('./doctor-connection.js'), import('./doctor-read.js'), import('./doctor-settings.js')]);
    const asJson = given.has('json');
    const findings: Finding[] = [];
    const note = async (finding: Finding): Promise<void> => {
      findings.push(finding);
      if (!asJson) await printFinding(output, finding);
    };
    if (!asJson) await output.line(`corridor-sdk ${version} on Node ${process.versions.node}\n`);
    const settings = await checkSettings(environment, note);
    const failedConnection = await checkConnection(settings.baseUrl, environment, note);
    await checkRead(settings, failedConnection, secrets, note);
    const failed = findings.filter(({ status }) => status === 'failed').length;
    if (asJson) await output.line(jsonText({ ok: failed === 0, version, node: process.versions.node, findings }, 2));
    else await output.line(`\n${summary(findings)}`);
    return failed === 0 ? exitCodes.done : exitCodes.failed;
  },
};

const looks: Readonly<Record<Status, readonly [word: string, colour: 'green' | 'yellow' | 'red' | 'dim']>> = {
  ok: ['ok', 'green'], warning: ['warning', 'yellow'], failed: ['FAILED', 'red'], skipped: ['skipped', 'dim'],
};

async function printFinding(output: Output, { check, status, detail, remedy }: Finding): Promise<void> {
  const [word, colour] = looks[status];
  await output.line(`${output.style(colour, fitted(word, 7))}  ${fitted(check, 11)}  ${plain(detail)}`);
  if (remedy !== undefined) await output.line(`         ${output.style('cyan', '->')} ${plain(remedy)}`);
}

function summary(findings: readonly Finding[]): string {
  const count = (wanted: Status): number => findings.filter(({ status }) => status === wanted).length;
  const [failed, warnings] = [count('failed'), count('warning')];
  if (failed > 0) return `${failed} of ${findings.length} failed; begin with the first.`;
  return warnings > 0 ? `Nothing failed; ${warnings === 1 ? '1 warning' : `${warnings} warnings`}.` : 'All is well.';
}
