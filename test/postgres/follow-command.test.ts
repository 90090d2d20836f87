import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { PaymentWebhookEvent } from 'corridor-sdk';
import { Webhook } from 'standardwebhooks';
import { expect, onTestFinished, test } from 'vitest';
import { corridor, startCorridor } from '../cli/corridor.ts';
import { connectionString, serveWithSchema } from './serve-with-schema.ts';

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

test('corridor follow --forward-to posts every change in PostgreSQL although its processes are killed', async () => {
  const { platform, environment, schema } = await serveWithSchema('follow_command');
  const received: (readonly [payment: string, id: string])[] = [];
  const endpoint = createServer((request, response) => {
    void text(request).then((body) => {
      const headers = request.headers as IncomingHttpHeaders & Record<string, string>;
      const { data } = new Webhook(secret).verify(body, headers) as PaymentWebhookEvent;
      received.push([data.payment.id, String(headers['webhook-id'])]);
      endpoint.emit('received');
      response.writeHead(204).end();
    });
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void endpoint.close());
  await once(endpoint, 'listening');
  const url = `http://127.0.0.1:${(endpoint.address() as AddressInfo).port}/webhooks`;
  const words = ['follow', '--forward-to', url, '--postgres', connectionString, '--schema', schema];
  const surroundings = { environment: { ...environment, CORRIDOR_WEBHOOK_SECRET: secret } };
  expect(await corridor([...words, '--once'], surroundings)).toEqual({ code: 0, output: '', notes: '' });

  const children = [0, 1].map(() => startCorridor(words, surroundings));
  onTestFinished(() => children.forEach((child) => child.kill('SIGKILL')));
  const receive = async (isEnough: () => boolean): Promise<void> => {
    while (!isEnough()) await once(endpoint, 'received');
  };
  for (let kill = 0; kill < 4; kill += 1) {
    const before = received.length;
    platform.payments.addMany(3);
    await receive(() => received.length > before);
    children[kill % 2]?.kill('SIGKILL');
    children[kill % 2] = startCorridor(words, surroundings);
  }
  await receive(() => new Map(received).size === 12);

  const ids = new Set(received.map(([payment, id]) => `${payment} ${id}`));
  expect(ids.size).toBe(12);
});
