import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { serveConnectProxy } from '../../reliability/proxy/connect-proxy.ts';

// For Node: what a create says if an HTTP proxy opens no tunnel, through the runtime's own fetch with
// NODE_USE_ENV_PROXY=1 and through undici's ProxyAgent.

const payment = {
  customerId: 'cus_1',
  beneficiaryId: 'ben_1',
  amount: '10.00',
  currencyCode: 'USD',
  purposeOfPayment: 'Goods',
  documentIds: ['doc_1'],
  paymentQuoteId: 'quo_1',
};
const expected = [
  [403, 'not-sent PROXY_403'],
  [407, 'not-sent PROXY_407'],
  [502, 'not-sent PROXY_502'],
  ['close-tunnel', 'not-sent TLS_HANDSHAKE_CLOSED'],
  ['reset-tunnel', 'not-sent ECONNRESET'],
];

/** Checks how the client reports each response of a proxy. */
export async function proxyChecks({ Corridor }, { apiKey, privateKey }) {
  const options = { baseUrl: 'https://platform.invalid', apiKey, privateKey, maxRetries: 0 };
  const senders = {
    "the runtime's own fetch": (proxy) => createInProcess(proxy, options),
    "undici's ProxyAgent": async (proxy) => createPayment(Corridor, { ...options, fetch: await fetchThrough(proxy) }),
  };
  const checks = [];
  for (const [sender, create] of Object.entries(senders)) {
    for (const [response, wanted] of expected) {
      const proxy = await serveConnectProxy(() => response);
      const found = await create(proxy.url);
      await proxy[Symbol.asyncDispose]();
      const connects = proxy.requests.length;
      checks.push({
        name: `a proxy responds to CONNECT with ${response}, through ${sender}`,
        ...(found === wanted && connects === 1
          ? {}
          : { error: `${found} after ${connects} CONNECT requests, and not ${wanted}` }),
      });
    }
  }
  return checks;
}

/** Sends a create that fails, and returns its outcome and the code of its cause. */
async function createPayment(Corridor, options) {
  return new Corridor(options).payments.create(payment).then(
    () => 'created',
    (error) => `${error.outcome} ${error.cause?.code}`,
  );
}

async function fetchThrough(proxy) {
  const { ProxyAgent, fetch } = await import('undici');
  const dispatcher = new ProxyAgent(proxy);
  return (input, init) => fetch(input, { ...init, dispatcher });
}

// Node reads the variables when it starts. Not spawnSync: the proxy is in this process.
function createInProcess(proxy, options) {
  const environment = { NODE_USE_ENV_PROXY: '1', HTTPS_PROXY: proxy, CORRIDOR_FIXTURE: JSON.stringify(options) };
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['--no-warnings', fileURLToPath(import.meta.url)], {
      env: environment,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let printed = '';
    child.stdout.setEncoding('utf8').on('data', (part) => (printed += part));
    child.on('error', reject).on('close', () => resolve(printed.trim()));
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { Corridor } = await import('corridor-sdk');
  console.log(await createPayment(Corridor, JSON.parse(process.env['CORRIDOR_FIXTURE'])));
}
