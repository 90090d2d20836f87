import { createPrivateKey } from 'node:crypto';
import { createServer, request } from 'node:http';
import { serveMockPlatform } from 'corridor-sdk/mock/node';

// The servers of the suite on loopback: a platform that works, one that fails, and a server that records requests.

/**
 * Serves a fixture for one run of the suite. `userAgents` are the received user agents; `forPages` serves the same
 * fixture to pages of another origin.
 */
export async function serveFixture() {
  const works = await serveMockPlatform({ seed: 1 });
  const fails = await serveMockPlatform({ seed: 2 });
  works.platform.payments.addMany(60);
  fails.platform.faults.always('payments.create', { kind: 'reset-after-commit' });
  // Once for each build that a runtime is asked with.
  fails.platform.faults.sequence('crypto.networks', [{ kind: 'reset' }, 'ok', { kind: 'reset' }, 'ok']);
  fails.platform.faults.always('crypto.paymentMethods', { kind: 'cut-body' });
  fails.platform.faults.always('customers.get', { kind: 'hang' });
  fails.platform.faults.always('customers.activity', { kind: 'hang' });
  const userAgents = [];
  const echo = await listening(
    createServer((incoming, outgoing) => {
      userAgents.push(incoming.headers['user-agent']);
      outgoing.setHeader('content-type', 'application/json').end('{"networks":[]}');
    }),
  );
  const posts = {};
  const misdirected = await listening(
    createServer(async (incoming, outgoing) => {
      let text = '';
      for await (const part of incoming) text += part;
      // The payment or the path sets the status; a request that the runtime resends succeeds.
      const name = text === '' ? incoming.url : JSON.parse(text).internalReference;
      const seen = (posts[name] ??= []);
      seen.push({ length: incoming.headers['content-length'], encoding: incoming.headers['transfer-encoding'], text });
      outgoing
        .writeHead(seen.length === 1 ? Number(/\d+$/.exec(name)) : 201, { 'content-type': 'application/json' })
        .end(JSON.stringify(seen));
    }),
  );
  const nobody = await listening(createServer());
  await nobody.close();
  const doors = [];

  const served = await credentialsOf(works);
  const faulty = await credentialsOf(fails);
  const jwk = createPrivateKey(served.privateKey).export({ format: 'jwk' });
  const fixture = {
    served,
    jwk,
    customerId: works.platform.customers.add().id,
    documentId: works.platform.documents.add({ content: 'invoice 4711', contentType: 'text/plain' }).id,
    payments: 60,
    orders: [orderIn(works.platform), orderIn(works.platform), orderIn(works.platform)],
    faulty: { ...faulty, orders: [orderIn(fails.platform), orderIn(fails.platform)] },
    echo: echo.url,
    misdirected: misdirected.url,
    nobody: nobody.url,
    secrets: [served, faulty]
      .flatMap(({ apiKey, privateKey }) => [
        apiKey,
        ...privateKey.split('\n').filter((line) => /^[\w+/=]{40,}$/.test(line)),
      ])
      .concat(jwk.d, jwk.p, jwk.q, 'eyJhbGciOi'),
    options: {},
  };
  return {
    fixture,
    userAgents,
    async forPages() {
      const [toServed, toFaulty, toEcho, toMisdirected] = await Promise.all(
        [served.baseUrl, faulty.baseUrl, echo.url, misdirected.url].map((url) => listening(createServer(openTo(url)))),
      );
      doors.push(toServed, toFaulty, toEcho, toMisdirected);
      return {
        ...fixture,
        served: { ...served, baseUrl: toServed.url },
        faulty: { ...fixture.faulty, baseUrl: toFaulty.url },
        echo: toEcho.url,
        misdirected: toMisdirected.url,
      };
    },
    close: () =>
      Promise.all([works.close(), fails.close(), ...[echo, misdirected, ...doors].map(({ close }) => close())]),
  };
}

async function credentialsOf(mock) {
  const { baseUrl, apiKey, privateKey } = await mock.credentials();
  return { baseUrl, apiKey, privateKey };
}

function orderIn(platform) {
  return platform.payments.createParams({ amount: '1250.00', currencyCode: 'USD' });
}

/** A server that hands everything on to another, and lets pages of every origin ask it. */
function openTo(url) {
  const { hostname, port } = new URL(url);
  return (incoming, outgoing) => {
    for (const name of ['origin', 'headers', 'methods'])
      outgoing.setHeader(
        `access-control-allow-${name}`,
        { origin: '*', headers: '*, authorization', methods: '*' }[name],
      );
    outgoing.setHeader('access-control-expose-headers', '*');
    if (incoming.method === 'OPTIONS') return outgoing.writeHead(204).end();
    const onward = request(
      {
        hostname,
        port,
        method: incoming.method,
        path: incoming.url,
        headers: { ...incoming.headers, host: `${hostname}:${port}` },
        agent: false,
      },
      (response) => {
        // A link that the platform signed leads to itself: pages must come through here again.
        const isLink =
          /\/documents\/[^/]+$/.test(incoming.url) && response.headers['content-type'] === 'application/json';
        const { 'content-length': _length, ...headers } = response.headers;
        outgoing.writeHead(response.statusCode, isLink ? headers : response.headers);
        response.on('data', (part) =>
          outgoing.write(isLink ? part.toString().replaceAll(url, `http://${incoming.headers.host}`) : part),
        );
        response.on('end', () => outgoing.end()).on('error', () => outgoing.destroy());
      },
    );
    onward.on('error', () => outgoing.destroy());
    incoming.on('error', () => onward.destroy()).pipe(onward);
    outgoing.on('close', () => onward.destroy());
  };
}

/** Listens on loopback. */
export function listening(server) {
  return new Promise((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', () =>
      resolve({
        url: `http://127.0.0.1:${server.address().port}`,
        close: () =>
          new Promise((done) => {
            server.close(done);
            server.closeAllConnections();
          }),
      }),
    );
  });
}
