import { runInNewContext } from 'node:vm';
import { ConfigurationError, Corridor, type PaymentWebhookEvent } from 'corridor-sdk';
import { createMockPlatform } from 'corridor-sdk/mock';
import { signWebhook, verifyWebhook, WebhookVerificationError } from 'corridor-sdk/webhooks';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';

const secretOf = (byte: number): string => `whsec_${Buffer.alloc(32, byte).toString('base64')}`;
const [secret, otherSecret] = [secretOf(7), secretOf(9)];

async function eventOf(): Promise<PaymentWebhookEvent> {
  const platform = createMockPlatform();
  platform.payments.add({ status: 'COMPLETED' });
  const [payment] = await new Corridor(platform.clientOptions()).payments.list().toArray({ max: 1 });
  if (payment === undefined) throw new Error('no payment');
  return {
    type: 'payment.status_changed',
    timestamp: payment.updatedAt,
    data: { payment, previousStatus: 'PROCESSING' },
  };
}

const ago = (seconds: number): Date => new Date(Date.now() - seconds * 1000);

test('a signed event is verified and returned with its id', async () => {
  const event = await eventOf();
  const { body, headers } = await signWebhook(event, secret, { id: 'msg_1' });

  expect(await verifyWebhook(body, headers, secret)).toEqual({ ...event, id: 'msg_1' });
  expect(await verifyWebhook(Buffer.from(body), new Headers(headers), secret)).toEqual({ ...event, id: 'msg_1' });
});

test('bytes of another realm, as in the environments of Jest, are verified', async () => {
  const event = await eventOf();
  const { body, headers } = await signWebhook(event, secret);
  const bytes = runInNewContext('Uint8Array.from(bytes)', { bytes: [...Buffer.from(body)] }) as Uint8Array;

  expect(bytes).not.toBeInstanceOf(Uint8Array);
  expect(await verifyWebhook(bytes, headers, secret)).toMatchObject(event);
});

test('names of headers have any case, and other headers do not matter', async () => {
  const { body, headers } = await signWebhook(await eventOf(), secret);
  const upper = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]));

  expect(await verifyWebhook(body, { 'set-cookie': ['a=1'], ...upper }, secret)).toMatchObject({
    type: expect.any(String),
  });
});

test('another implementation of Standard Webhooks verifies what is signed', async () => {
  const event = await eventOf();
  const { body, headers } = await signWebhook(event, secret);

  expect(new Webhook(secret).verify(body, headers)).toEqual(event);
});

test('an event that another implementation of Standard Webhooks signed is verified', async () => {
  const event = await eventOf();
  const body = JSON.stringify(event, null, 2);
  const sentAt = new Date();
  const headers = {
    'webhook-id': 'msg_2',
    'webhook-timestamp': String(Math.floor(sentAt.getTime() / 1000)),
    'webhook-signature': `v2,AAAA v1,@ ${new Webhook(secret).sign('msg_2', sentAt, body)}`,
  };

  expect(await verifyWebhook(body, headers, secret)).toEqual({ ...event, id: 'msg_2' });
});

test('during a rotation, one secret of either side is enough', async () => {
  const event = await eventOf();
  const both = await signWebhook(event, `${otherSecret} ${secret}`);
  const one = await signWebhook(event, secret);

  await expect(verifyWebhook(both.body, both.headers, secret)).resolves.toMatchObject({ data: event.data });
  await expect(verifyWebhook(one.body, one.headers, ` ${otherSecret}\n${secret} `)).resolves.toMatchObject({
    data: event.data,
  });
});

test.each([
  ['another body', { body: '{}' }, /no signature matches/],
  ['another secret', { secret: otherSecret }, /no signature matches/],
  ['another id', { headers: { 'webhook-id': 'msg_2' } }, /no signature matches/],
  ['another time', { headers: { 'webhook-timestamp': String(Math.floor(Date.now() / 1000) - 60) } }, /no signature/],
  ['no id', { headers: { 'webhook-id': undefined } }, /the header webhook-id is missing/],
  ['an empty signature', { headers: { 'webhook-signature': '' } }, /the header webhook-signature is missing/],
  ['a time that is no number', { headers: { 'webhook-timestamp': '1e999' } }, /too old or too new/],
])('%s is rejected', async (_, changed, message) => {
  const { body, headers } = await signWebhook(await eventOf(), secret);
  const verified = verifyWebhook(
    'body' in changed ? changed.body : body,
    { ...headers, ...('headers' in changed ? changed.headers : {}) },
    'secret' in changed ? changed.secret : secret,
  );

  await expect(verified).rejects.toThrow(WebhookVerificationError);
  await expect(verified).rejects.toThrow(message);
  await expect(verified).rejects.not.toThrow(secret);
});

test('a signature of another version is not accepted', async () => {
  const { body, headers } = await signWebhook(await eventOf(), secret);
  const other = { ...headers, 'webhook-signature': headers['webhook-signature'].replace('v1,', 'v2,') };

  await expect(verifyWebhook(body, other, secret)).rejects.toThrow(/no signature matches/);
});

test('a signature is accepted for five minutes, or for the tolerance', async () => {
  const event = await eventOf();
  const verify = async (age: number, tolerance?: number): Promise<boolean> => {
    const { body, headers } = await signWebhook(event, secret, { sentAt: ago(age) });
    return verifyWebhook(body, headers, secret, { tolerance }).then(
      () => true,
      (error: unknown) => !(error instanceof WebhookVerificationError) || !/too old or too new/.test(error.message),
    );
  };

  expect(await Promise.all([verify(290), verify(310), verify(-290), verify(-310)])).toEqual([true, false, true, false]);
  expect(await Promise.all([verify(50, 60), verify(70, 60)])).toEqual([true, false]);
});

test.each([
  ['{"type":"invoice.paid"', 'its body is not JSON'],
  ['{"type":"invoice.paid"}', 'data is missing'],
  ['{"type":"payment.created","timestamp":"x","data":{"payment":{"id":1},"previousStatus":null}}', 'data.payment.id'],
])('a signed body that is no event is rejected: %s', async (body, message) => {
  const sentAt = new Date();
  const headers = {
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(Math.floor(sentAt.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign('msg_1', sentAt, body),
  };

  const verified = verifyWebhook(body, headers, secret);
  await expect(verified).rejects.toThrow(WebhookVerificationError);
  await expect(verified).rejects.toThrow(message);
});

test('a status, a field and a type that this version does not know are accepted', async () => {
  const event = await eventOf();
  const payment = { ...event.data.payment, status: 'STATUS_OF_TESTS', priority: 1 };
  const changed = {
    ...event,
    type: 'payment.held',
    data: { ...event.data, payment },
  } as unknown as PaymentWebhookEvent;
  const { body, headers } = await signWebhook(changed, secret);

  expect(await verifyWebhook(body, headers, secret)).toMatchObject({
    data: { payment: { status: 'STATUS_OF_TESTS', priority: 1 } },
  });
});

test.each([
  ['short', 'whsec_c2hvcnQtc2VjcmV0'],
  ['empty', ''],
  ['no base64', `whsec_${'é'.repeat(40)}`],
])('a secret that is %s is a mistake of the program, not of the sender', async (_, invalid) => {
  const { body, headers } = await signWebhook(await eventOf(), secret);

  await expect(verifyWebhook(body, headers, invalid)).rejects.toThrow(ConfigurationError);
  await expect(verifyWebhook(body, headers, invalid)).rejects.toThrow('at least 24 bytes in base64');
});

test('a parsed body and invalid options are mistakes of the program', async () => {
  const { body, headers } = await signWebhook(await eventOf(), secret);
  const parsed = JSON.parse(body) as string;

  await expect(verifyWebhook(parsed, headers, secret)).rejects.toThrow(/received object.*before JSON is parsed/);
  await expect(verifyWebhook(body, headers, secret, { tolerance: -1 })).rejects.toThrow(/tolerance must be a number/);
});
