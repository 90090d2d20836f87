// What must hold in every runtime: one list, which knows nothing of any runtime. It is given the package as that runtime loads it.

/** Runs every check, and tells of each what went wrong, if anything did. */
export async function runSuite(packages, world) {
  const results = [];
  for (const [name, check] of Object.entries(checks)) {
    try {
      await check(packages, world);
      results.push({ name });
    } catch (error) {
      results.push({ name, error: error instanceof Error ? `${error.name}: ${error.message}` : String(error) });
    }
  }
  return results;
}

function clientOf({ sdk }, { served, options }, further = {}) {
  const { baseUrl, apiKey, privateKey } = served;
  return new sdk.Corridor({ baseUrl, apiKey, privateKey, ...options, ...further });
}

const faulty = ({ sdk }, { faulty: { baseUrl, apiKey, privateKey }, options }, further = {}) => new sdk.Corridor({ baseUrl, apiKey, privateKey, ...options, retries: 0, ...further });
const inProcess = ({ sdk, mock }, { options }, given = {}) => {
  const platform = mock.createMockPlatform({ seed: 1 });
  return { platform, corridor: new sdk.Corridor({ ...platform.clientOptions(), ...options, ...given }) };
};

function equal(received, expected, what) {
  const [is, should] = [JSON.stringify(received), JSON.stringify(expected)];
  if (is !== should) throw new Error(`${what}: ${is}, and not ${should}`);
}

async function failureOf(promise) {
  return promise.then((value) => Promise.reject(new Error(`resolved with ${JSON.stringify(value)}`)), (error) => error);
}

function isFailure({ sdk }, error, name, fields) {
  if (!(error instanceof sdk[name])) throw new Error(`${error?.name} (${error?.message}) in place of ${name}`);
  equal(Object.fromEntries(Object.keys(fields).map((key) => [key, error[key]])), fields, name);
}

function orderIn(platform) {
  const { id: customerId } = platform.customers.add();
  return {
    customerId,
    beneficiaryId: platform.beneficiaries.add({ customerId }).id,
    paymentQuoteId: platform.quotes.add({ customerId }).id,
    documentIds: [platform.documents.add({ customerId, kind: 'invoice' }).id],
    amount: '1250.00',
    currencyCode: 'USD',
    purposeOfPayment: 'Goods',
  };
}

const checks = {
  async 'a read signed with a PEM key is verified by the platform'(packages, world) {
    const client = clientOf(packages, world);
    await client.ready();
    equal((await client.customers.get(world.customerId)).id, world.customerId, 'the customer');
  },
  async 'and one signed with a JWK'(packages, world) {
    const client = clientOf(packages, world, { privateKey: world.jwk });
    equal((await client.customers.get(world.customerId)).id, world.customerId, 'the customer');
  },
  async 'a wrong key is refused'(packages, world) {
    const { privateKey } = await packages.mock.createMockPlatform().credentials();
    isFailure(packages, await failureOf(clientOf(packages, world, { privateKey }).crypto.networks()), 'AuthenticationError', { status: 401, outcome: 'rejected' });
  },
  async 'a walk reads every page'(packages, world) {
    const seen = new Set();
    for await (const { id } of clientOf(packages, world).payments.list({ limit: 25 })) seen.add(id);
    if (seen.size < world.payments) throw new Error(`${seen.size} of ${world.payments} payments`);
  },
  async 'a payment is created once'(packages, world) {
    const { payment, created, attempts } = await clientOf(packages, world).payments.createOnce(world.orders.pop());
    equal([created, attempts.length, payment.status], [true, 1, 'PENDING_REVIEW'], 'created, attempts, status');
  },
  async 'a payment whose answer is lost is found, and not sent again'(packages, world) {
    const call = faulty(packages, world).payments.createOnce(world.faulty.orders.pop());
    // A browser sends it a second time, whatever we do: the reason why payments are not made there.
    if (world.isPage) return isFailure(packages, await failureOf(call), 'AuthenticationError', { platformCode: 'token_replayed' });
    const { payment, recovered, attempts } = await call;
    equal([recovered, attempts.length, payment.status], [true, 1, 'PENDING_REVIEW'], 'recovered, attempts, status');
  },
  async 'a refusal says that nothing happened'(packages, world) {
    const order = { ...world.orders[0], paymentQuoteId: 'quo_unknown' };
    isFailure(packages, await failureOf(clientOf(packages, world).payments.create(order)), 'ApiError', { outcome: 'rejected', endpoint: 'payments.create' });
  },
  async 'a read whose connection breaks is made again, with another token'(packages, world) {
    equal((await faulty(packages, world, { retries: 2 }).crypto.networks()).length > 0, true, 'networks');
  },
  async 'where nobody answers, it says so'(packages, world) {
    isFailure(packages, await failureOf(clientOf(packages, world, { baseUrl: world.nobody, retries: 0 }).crypto.networks()), 'ConnectionError', { code: 'connection' });
  },
  async 'a body that breaks off is no answer'(packages, world) {
    isFailure(packages, await failureOf(faulty(packages, world).crypto.paymentMethods()), 'ConnectionError', { outcome: 'applied' });
  },
  async 'a call can be aborted while it is under way'(packages, world) {
    const controller = new AbortController();
    const call = faulty(packages, world).customers.get(world.customerId, { signal: controller.signal });
    setTimeout(() => controller.abort(new Error('enough')), 50);
    const error = await failureOf(call);
    isFailure(packages, error, 'AbortedError', { code: 'aborted' });
    equal(error.cause?.message, 'enough', 'the cause');
  },
  async 'a call that takes too long ends'(packages, world) {
    isFailure(packages, await failureOf(faulty(packages, world, { timeout: 300 }).customers.activity(world.customerId)), 'TimeoutError', { code: 'timeout' });
  },
  async 'a download goes without credentials'(packages, world) {
    const response = await clientOf(packages, world).documents.download(world.documentId);
    equal(await response.text(), 'invoice 4711', 'the document');
  },
  async 'nothing that is printed shows a key'(packages, world) {
    const client = clientOf(packages, world, { privateKey: world.jwk });
    await client.crypto.networks();
    const error = await failureOf(client.customers.get('cus_unknown'));
    // Whoever started this reads all that is printed.
    console.log(client, String(client), error, String(error));
    const text = JSON.stringify([client, error, { ...client }, { ...error }]);
    for (const secret of world.secrets) if (text.includes(secret)) throw new Error('JSON shows a secret');
  },
  async 'the mock answers in process'(packages, world) {
    const { platform, corridor } = inProcess(packages, world);
    platform.payments.addMany(60);
    equal((await corridor.payments.list({ limit: 25 }).toArray()).length, 60, 'payments');
    platform.faults.next('payments.create', { kind: 'reset-after-commit' });
    equal((await corridor.payments.createOnce(orderIn(platform))).recovered, true, 'recovered');
    equal(platform.requests.of('payments.create').length, 1, 'requests to create');
  },
  async 'answers are held against the contract'(packages, world) {
    const drift = [];
    const { platform, corridor } = inProcess(packages, world, { onDrift: ({ kind }) => drift.push(kind) });
    const { id } = platform.customers.add();
    platform.faults.sequence('customers.get', [{ kind: 'wrong-type', path: 'status' }, { kind: 'unknown-field' }]);
    const error = await failureOf(corridor.customers.get(id));
    isFailure(packages, error, 'InvalidResponseError', { outcome: 'applied' });
    equal(error.issues.map(({ path }) => path), ['status'], 'the paths of issues');
    await corridor.customers.get(id);
    equal(drift.includes('unknown-field'), true, 'drift is told');
  },
  async 'requests are held against the contract'(packages, world) {
    const { platform, corridor } = inProcess(packages, world);
    const error = await failureOf(corridor.payments.create({ ...orderIn(platform), amount: 1250 }));
    isFailure(packages, error, 'InvalidRequestError', { outcome: 'not-sent' });
    equal(error.issues.map(({ path }) => path), ['amount'], 'the paths of issues');
  },
  async 'a call names the package, and the application'(packages, world) {
    await clientOf(packages, world, { baseUrl: world.echo, userAgent: 'partner/2.0' }).crypto.networks();
  },
};
