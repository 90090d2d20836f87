import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { announcedBy, emptyFolder, startWith } from './process.ts';

const dockerfile = readFileSync(new URL('../../../examples/mock-server/Dockerfile', import.meta.url), 'utf8');
const token = 'a-control-token-of-the-team';

/** Returns the command of an instruction in its JSON form. */
function commandOf(instruction: RegExp): string[] {
  const [, json = '[]'] = new RegExp(`^${instruction.source} (\\[.*\\])$`, 'm').exec(dockerfile) ?? [];
  return JSON.parse(json) as string[];
}

test('the command of the image starts a healthy mock that keeps its state', async () => {
  const folder = await emptyFolder();
  const [program, command, ...words] = [...commandOf(/ENTRYPOINT/), ...commandOf(/CMD/)].map((word) =>
    word.replace('/data', folder),
  );
  expect([program, command]).toEqual(['corridor', 'mock']);
  const health = commandOf(/HEALTHCHECK .*CMD/).at(-1) ?? '';
  const startImage = (): ReturnType<typeof startWith> =>
    // The last of two ports decides.
    startWith({ CORRIDOR_MOCK_CONTROL_TOKEN: token }, ...words, '--port', '0', '--json');

  const mock = await startImage();
  const { baseUrl } = announcedBy(mock);
  expect(await (await fetch(health.replace('http://127.0.0.1:4010', baseUrl))).json()).toEqual({ status: 'ok' });
  const call = (url: string, name: string, headers = {}): Promise<Response> =>
    fetch(`${url}/__mock/${name}`, { method: 'POST', headers });
  expect((await call(baseUrl, 'payments.add')).status).toBe(401);
  const authorization = `Bearer ${token}`;
  expect((await call(baseUrl, 'payments.add', { authorization })).status).toBe(200);
  await mock.stop();
  const again = announcedBy(await startImage());
  expect(await (await call(again.baseUrl, 'payments.all', { authorization })).json()).toHaveLength(1);
  expect(again.keyFile).toBe(join(folder, 'key.pem'));
});

test('the image does not run as root', () => {
  const [, user] = /^USER (\S+)$/m.exec(dockerfile) ?? [];
  expect(user).toBe('node');
});
