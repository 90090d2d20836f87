import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';

/** Starts a PostgreSQL of its own, which is stopped after the test. `restart` stops it as a crash does, and starts it. */
export async function startPostgres(): Promise<{ readonly url: string; restart(): Promise<void> }> {
  const wait =
    'echo "$CORRIDOR_TEST_POSTGRES"; while read -r _; do (eval "$CORRIDOR_TEST_POSTGRES_RESTART") < /dev/null && echo restarted || exit 1; done';
  const program = fileURLToPath(new URL('../../.ci/with-postgres', import.meta.url));
  const child = spawn(program, ['sh', '-c', wait], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  onTestFinished(async () => {
    const closed = once(child, 'close');
    // Its end stops the server.
    child.stdin.end();
    await closed;
  });
  const printed = async (): Promise<string> => String((await lines.next()).value);
  const url = await printed();
  return {
    url,
    async restart() {
      child.stdin.write('restart\n');
      const answer = await printed();
      if (answer !== 'restarted') throw new Error(`PostgreSQL did not restart: ${answer}`);
    },
  };
}
