import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { serveMockPlatform } from 'corridor-sdk/mock/node';

/**
 * Returns the home page with what its commands print: at `<!-- output: COMMAND -->`, and below each command of a `console`
 * block. They run in a folder that contains only the program of the page, with the credentials of a populated mock that
 * has the payment `pay_1`.
 */
export async function homePage(text: string, root: string): Promise<string> {
  const served = await serveMockPlatform({ control: true, seed: 1 });
  served.platform.populate();
  served.platform.payments.add({ id: 'pay_1' });
  const { baseUrl, apiKey, privateKey } = await served.credentials();
  const env = {
    ...process.env,
    CORRIDOR_BASE_URL: baseUrl,
    CORRIDOR_API_KEY: apiKey,
    CORRIDOR_PRIVATE_KEY: privateKey,
  };
  const folder = mkdtempSync(join(tmpdir(), 'corridor-home-'));
  const run = async (command: string): Promise<string> => {
    // From the source, so that the page needs no build.
    const script = `exec 2>&1
      node() { ${process.execPath} --no-warnings --import ${root}scripts/from-source.ts "$@"; }
      npm() { command npm --silent --prefix ${root} "$@"; }
      npx() { node ${root}src/cli/index.ts "\${@:2}"; }
      ${command}${command.includes('--dry-run') ? ' || true # it exits with 1 if the copy differs' : ''}`;
    return (await promisify(execFile)('bash', ['-c', script], { cwd: folder, env })).stdout.trimEnd();
  };
  try {
    let page = text;
    writeFileSync(join(folder, 'pay.ts'), /^```ts\n([^]*?)\n```$/m.exec(text)?.[1] ?? '');
    for (const [place, command = ''] of text.matchAll(/^<!-- output: (.+) -->$/gm)) {
      const output = await run(command);
      page = page.replace(place, () => `\`\`\`text\n${output}\n\`\`\``);
    }
    for (const [block, code = ''] of text.matchAll(/^```console\n([^]*?)\n```$/gm)) {
      const lines: string[] = [];
      for (const line of code.split('\n')) lines.push(line, await run(line.replace(/^\$ /, '')));
      page = page.replace(block, () => `\`\`\`console\n${lines.filter((line) => line !== '').join('\n')}\n\`\`\``);
    }
    return page;
  } finally {
    await served.close();
    rmSync(folder, { recursive: true });
  }
}
