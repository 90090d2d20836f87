import { createServer } from 'node:net';

// For Node: dispatchers of undici that dispatch a request again by themselves. The first connection breaks after the
// POST was received, and the next one is refused: the last error says that nothing was connected to.

const payment = {
  customerId: 'cus_1',
  beneficiaryId: 'ben_1',
  amount: '10.00',
  currencyCode: 'USD',
  purposeOfPayment: 'Goods',
  documentIds: ['doc_1'],
  paymentQuoteId: 'quo_1',
};
const retries = { methods: ['POST'], maxRetries: 2, minTimeout: 1 };
const dispatchers = {
  'a plain Agent': ({ Agent }) => new Agent(),
  RetryAgent: ({ Agent, RetryAgent }) => new RetryAgent(new Agent(), retries),
  'interceptors.retry': ({ Agent, interceptors }) => new Agent().compose(interceptors.retry(retries)),
  'interceptors.dns': ({ Agent, interceptors }) => new Agent().compose(interceptors.dns()),
};

// Each copy of undici sets them when it is loaded, and not all can use those of another.
const globals = [1, 2].map((version) => Symbol.for(`undici.globalDispatcher.${version}`));

/** Checks that an outcome is `unknown` if and only if a server has received the POST. */
export async function dispatcherChecks({ Corridor }, { apiKey, privateKey }) {
  const checks = [];
  const own = globals.map((name) => globalThis[name]);
  const restore = () =>
    globals.forEach((name, index) => {
      if (name in globalThis) globalThis[name] = own[index];
    });
  for (const version of ['undici', 'undici8']) {
    const undici = await import(version);
    for (const [name, create] of Object.entries(dispatchers)) {
      for (const way of ['as an option', 'as the global dispatcher']) {
        for (const isListening of [true, false]) {
          const server = await serveOnce();
          if (!isListening) await server.close();
          const dispatcher = create(undici);
          const fetch = (input, init) => undici.fetch(input, { ...init, dispatcher });
          if (way !== 'as an option') undici.setGlobalDispatcher(dispatcher);
          const corridor = new Corridor({
            baseUrl: server.url,
            apiKey,
            privateKey,
            fetch: way === 'as an option' ? fetch : undefined,
          });
          const error = await corridor.payments.create(payment).catch((reason) => reason);
          restore();
          await server.close();
          const posts = server.posts();
          const wanted = posts === 0 ? 'not-sent' : 'unknown';
          checks.push({
            name: `${version}: ${name} ${way}, ${isListening ? 'response lost' : 'refused'}`,
            ...(error.outcome === wanted && posts <= (isListening ? 1 : 0)
              ? {}
              : { error: `${posts} POSTs, ${error.outcome}: ${error.message}` }),
          });
        }
      }
    }
  }
  return checks;
}

/** A server that stops to listen with its first request, and breaks the connection. */
async function serveOnce() {
  let posts = 0;
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => {
      posts += 1;
      server.close();
      socket.resetAndDestroy();
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  return {
    url: `http://localhost:${port}`,
    posts: () => posts,
    close: () => new Promise((resolve) => (server.listening ? server.close(resolve) : resolve())),
  };
}
