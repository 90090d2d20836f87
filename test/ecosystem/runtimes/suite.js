// The checks for every runtime, independent of any runtime. Each receives the package as that runtime loads it.

/** Runs every check, and reports the error of each, if any. */
export async function runSuite(packages, fixture) {
  const results = [];
  for (const [name, check] of Object.entries(checks)) {
    try {
      await check(packages, fixture);
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

const faulty = ({ sdk }, { faulty: { baseUrl, apiKey, privateKey }, options }, further = {}) =>
  new sdk.Corridor({ baseUrl, apiKey, privateKey, ...options, maxRetries: 0, ...further });
const inProcess = ({ sdk, mock }, { options }, given = {}) => {
  const platform = mock.createMockPlatform({ seed: 1 });
  return { platform, corridor: new sdk.Corridor({ ...platform.clientOptions(), ...options, ...given }) };
};

function equal(received, expected, what) {
  const [is, should] = [JSON.stringify(received), JSON.stringify(expected)];
  if (is !== should) throw new Error(`${what}: ${is}, and not ${should}`);
}

async function failureOf(promise) {
  return promise.then(
    (value) => Promise.reject(new Error(`resolved with ${JSON.stringify(value)}`)),
    (error) => error,
  );
}

function isFailure({ sdk }, error, name, fields) {
  if (!(error instanceof sdk[name])) throw new Error(`${error?.name} (${error?.message}) in place of ${name}`);
  equal(Object.fromEntries(Object.keys(fields).map((key) => [key, error[key]])), fields, name);
}

// A browser always resends a POST after a 421.
const statusesSentOnce = ({ isPage }) => [
  [401, 'AuthenticationError', 'rejected'],
  ...(isPage ? [] : [[421, 'ApiError', 'unknown']]),
];

// The response lists the requests of the call that the server received so far. Deno sends streams in chunks.
async function sentOnce(call, text, { isChunked }) {
  const error = await failureOf(call);
  const framing = isChunked ? { encoding: 'chunked' } : { length: String(new TextEncoder().encode(text).length) };
  equal(error.body, [{ ...framing, text }], 'what was sent');
  return error;
}

function orderIn(platform) {
  return platform.payments.createParams({ amount: '1250.00', currencyCode: 'USD' });
}

const checks = {
  async 'a read signed with a PEM key is verified by the platform'(packages, fixture) {
    const client = clientOf(packages, fixture);
    await client.ready();
    equal((await client.customers.get(fixture.customerId)).id, fixture.customerId, 'the customer');
  },
  async 'and one signed with a JWK'(packages, fixture) {
    const client = clientOf(packages, fixture, { privateKey: fixture.jwk });
    equal((await client.customers.get(fixture.customerId)).id, fixture.customerId, 'the customer');
  },
  async 'a wrong key is rejected'(packages, fixture) {
    const { privateKey } = await packages.mock.createMockPlatform().credentials();
    isFailure(
      packages,
      await failureOf(clientOf(packages, fixture, { privateKey }).crypto.networks()),
      'AuthenticationError',
      { status: 401, outcome: 'rejected' },
    );
  },
  async 'iteration reads every page'(packages, fixture) {
    const seen = new Set();
    for await (const { id } of clientOf(packages, fixture).payments.list({ limit: 25 })) seen.add(id);
    if (seen.size < fixture.payments) throw new Error(`${seen.size} of ${fixture.payments} payments`);
  },
  async 'a payment is created once'(packages, fixture) {
    const { payment, created, attempts } = await clientOf(packages, fixture).payments.createOnce(fixture.orders.pop());
    equal([created, attempts.length, payment.status], [true, 1, 'PENDING_REVIEW'], 'created, attempts, status');
  },
  async 'a payment whose response is lost is found and not sent again'(packages, fixture) {
    const call = faulty(packages, fixture).payments.createOnce(fixture.faulty.orders.pop());
    // A browser sends it a second time, whatever we do: the reason why payments are not made there.
    if (fixture.isPage)
      return isFailure(packages, await failureOf(call), 'AuthenticationError', { platformCode: 'token_replayed' });
    const { payment, recovered, attempts } = await call;
    equal([recovered, attempts.length, payment.status], [true, 1, 'PENDING_REVIEW'], 'recovered, attempts, status');
  },
  async 'a payment with the response 421 or 401 is sent once, with its length'(packages, fixture) {
    const client = clientOf(packages, fixture, { baseUrl: fixture.misdirected, maxRetries: 0 });
    for (const [status, name, outcome] of statusesSentOnce(fixture)) {
      const order = { ...fixture.orders[0], internalReference: `Käse ${crypto.randomUUID()} ${status}` };
      isFailure(packages, await sentOnce(client.payments.create(order), JSON.stringify(order), fixture), name, {
        status,
        outcome,
      });
    }
  },
  async 'and so is a write without a body'(packages, fixture) {
    const client = clientOf(packages, fixture, { baseUrl: fixture.misdirected, maxRetries: 0 });
    for (const [status, name, outcome] of statusesSentOnce(fixture)) {
      const call = client.request({ method: 'POST', path: `/api/v1/${crypto.randomUUID()}/${status}` });
      isFailure(packages, await sentOnce(call, '', fixture), name, { status, outcome });
    }
  },
  async 'an error response has the outcome rejected'(packages, fixture) {
    const order = { ...fixture.orders[0], paymentQuoteId: 'quo_unknown' };
    isFailure(packages, await failureOf(clientOf(packages, fixture).payments.create(order)), 'ApiError', {
      outcome: 'rejected',
      endpoint: 'payments.create',
    });
  },
  async 'a read whose connection breaks is made again, with another token'(packages, fixture) {
    equal((await faulty(packages, fixture, { maxRetries: 2 }).crypto.networks()).length > 0, true, 'networks');
  },
  async 'a server without a response is reported'(packages, fixture) {
    isFailure(
      packages,
      await failureOf(clientOf(packages, fixture, { baseUrl: fixture.nobody, maxRetries: 0 }).crypto.networks()),
      'ConnectionError',
      { code: 'connection' },
    );
  },
  async 'a truncated body is an invalid response'(packages, fixture) {
    isFailure(packages, await failureOf(faulty(packages, fixture).crypto.paymentMethods()), 'ConnectionError', {
      outcome: 'applied',
    });
  },
  async 'a call can be aborted while it is under way'(packages, fixture) {
    const controller = new AbortController();
    const call = faulty(packages, fixture).customers.get(fixture.customerId, { signal: controller.signal });
    setTimeout(() => controller.abort(new Error('enough')), 50);
    const error = await failureOf(call);
    isFailure(packages, error, 'AbortedError', { code: 'aborted' });
    equal(error.cause?.message, 'enough', 'the cause');
  },
  async 'a call that takes too long ends'(packages, fixture) {
    isFailure(
      packages,
      await failureOf(faulty(packages, fixture, { timeout: 300 }).customers.activity(fixture.customerId)),
      'TimeoutError',
      { code: 'timeout' },
    );
  },
  async 'a download goes without credentials'(packages, fixture) {
    const response = await clientOf(packages, fixture).documents.download(fixture.documentId);
    equal(await response.text(), 'invoice 4711', 'the document');
  },
  async 'nothing that is printed shows a key'(packages, fixture) {
    const client = clientOf(packages, fixture, { privateKey: fixture.jwk });
    await client.crypto.networks();
    const error = await failureOf(client.customers.get('cus_unknown'));
    // The parent process reads all output.
    console.log(client, String(client), error, String(error));
    const text = JSON.stringify([client, error, { ...client }, { ...error }]);
    for (const secret of fixture.secrets) if (text.includes(secret)) throw new Error('JSON shows a secret');
  },
  async 'the mock responds in process'(packages, fixture) {
    const { platform, corridor } = inProcess(packages, fixture);
    platform.payments.addMany(60);
    equal((await corridor.payments.list({ limit: 25 }).toArray()).length, 60, 'payments');
    platform.faults.next('payments.create', { kind: 'reset-after-commit' });
    equal((await corridor.payments.createOnce(orderIn(platform))).recovered, true, 'recovered');
    equal(platform.requests.to('payments.create').length, 1, 'requests to create');
  },
  async 'responses are validated'(packages, fixture) {
    const drift = [];
    const { platform, corridor } = inProcess(packages, fixture, { onDrift: ({ kind }) => drift.push(kind) });
    const { id } = platform.customers.add();
    platform.faults.sequence('customers.get', [
      { kind: 'response', patch: { status: 5 } },
      { kind: 'response', patch: { addedByThePlatform: 1 } },
    ]);
    const error = await failureOf(corridor.customers.get(id));
    isFailure(packages, error, 'InvalidResponseError', { outcome: 'applied' });
    equal(
      error.issues.map(({ path }) => path),
      ['status'],
      'the paths of issues',
    );
    await corridor.customers.get(id);
    equal(drift.includes('unknown-field'), true, 'drift is reported');
  },
  async 'requests are held against the contract'(packages, fixture) {
    const { platform, corridor } = inProcess(packages, fixture);
    const error = await failureOf(corridor.payments.create({ ...orderIn(platform), amount: 1250 }));
    isFailure(packages, error, 'InvalidRequestError', { outcome: 'not-sent' });
    equal(
      error.issues.map(({ path }) => path),
      ['amount'],
      'the paths of issues',
    );
  },
  async 'a call names the package, and the application'(packages, fixture) {
    await clientOf(packages, fixture, { baseUrl: fixture.echo, userAgent: 'partner/2.0' }).crypto.networks();
  },
};
