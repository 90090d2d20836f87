import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { serveMockPlatform } from 'corridor-sdk/mock/node';
import { serveConnectProxy } from '../../reliability/proxy/connect-proxy.ts';

// The recipes of docs/network.md, as they stand there, with a CONNECT proxy and a server that requires a certificate.
// Inside node_modules/, so that the programs find the package. The runtimes run at the same time, each in its folder.
const folderOf = (runtime) => fileURLToPath(new URL(`node_modules/.recipes-${runtime}/`, import.meta.url));
const page = readFileSync(new URL('../../../docs/network.md', import.meta.url), 'utf8');
const recipes = Object.fromEntries(
  [...page.matchAll(/^```js\n\/\/ ([\w-]+)\.mjs\n([^]*?)^```$/gm)].map(([, name, code]) => [name, code]),
);
const plain = "import { Corridor } from 'corridor-sdk';\nconst corridor = new Corridor();\n";
const read = "console.log('READ', (await corridor.crypto.networks()).length > 0);\n";
const failedRead =
  "await corridor.crypto.networks().then(() => console.log('READ'), (error) => console.log('FAILED', error.outcome, error.message));\n";
const failedPayment = `await corridor.payments.create({
  customerId: 'cus_1', beneficiaryId: 'ben_1', amount: '10.00', currencyCode: 'USD', purposeOfPayment: 'Goods',
  documentIds: ['doc_1'], paymentQuoteId: 'quo_1' }).catch((error) => console.log('FAILED', error.outcome));\n`;

/** An authority, and the certificates that it signs: Deno accepts no certificate that is its own authority. */
function createAuthority() {
  const place = mkdtempSync(join(tmpdir(), 'corridor-network-'));
  const openssl = (...words) => execFileSync('openssl', words, { cwd: place, stdio: ['ignore', 'ignore', 'pipe'] });
  const text = (name) => readFileSync(join(place, name), 'utf8');
  const key = ['-newkey', 'rsa:2048', '-nodes', '-keyout'];
  openssl('req', '-x509', ...key, 'ca.key', '-out', 'ca.pem', '-days', '2', '-subj', '/CN=authority');
  const identities = ['localhost', 'partner-1', 'partner-2'].map((name, index) => {
    writeFileSync(join(place, 'extensions'), `subjectAltName=DNS:${name}\n`);
    openssl('req', ...key, 'leaf.key', '-out', 'leaf.csr', '-subj', `/CN=${name}`);
    const signing = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-set_serial', String(index + 1), '-extfile', 'extensions'];
    openssl('x509', '-req', '-in', 'leaf.csr', ...signing, '-days', '1', '-out', 'leaf.pem');
    return { key: text('leaf.key'), cert: text('leaf.pem') };
  });
  const ca = text('ca.pem');
  rmSync(place, { recursive: true });
  return { ca, identities };
}
const {
  ca,
  identities: [server, first, second],
} = createAuthority();

/** Serves a platform over TLS; notes the client certificate of each connection. */
async function serveTls(options = {}) {
  const served = await serveMockPlatform({ seed: 1 });
  const clients = [];
  const terminator = createServer({ ...server, ...options }, (socket) => {
    clients.push(socket.getPeerCertificate().subject?.CN);
    const upstream = connect(Number(new URL(served.url).port), '127.0.0.1');
    socket.on('error', () => upstream.destroy());
    upstream.on('error', () => socket.destroy());
    socket.pipe(upstream).pipe(socket);
  });
  terminator.on('tlsClientError', () => {});
  await new Promise((resolve) => terminator.listen(0, '127.0.0.1', resolve));
  const { apiKey, privateKey } = await served.credentials();
  return {
    clients,
    environment: {
      CORRIDOR_BASE_URL: `https://localhost:${terminator.address().port}`,
      CORRIDOR_API_KEY: apiKey,
      CORRIDOR_PRIVATE_KEY: privateKey,
    },
    close: async () => {
      terminator.close();
      await served.close();
    },
  };
}

/** Runs a program in a runtime and returns what it prints. */
function run(runtime, [program, ...parameters], name, code, environment) {
  const file = `${folderOf(runtime)}${name}.mjs`;
  writeFileSync(file, code);
  return new Promise((resolve, reject) => {
    // Deno looks for a newer version of itself, through the proxy, in programs that run longer than half a second.
    const quiet = { NO_COLOR: '1', DENO_NO_UPDATE_CHECK: '1' };
    const child = spawn(program, [...parameters, file], {
      env: { PATH: process.env.PATH, HOME: process.env.HOME, ...quiet, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let printed = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => (printed += text));
    const late = setTimeout(() => child.kill('SIGKILL'), 30_000);
    child.on('error', reject);
    child.on('close', () => {
      clearTimeout(late);
      resolve(printed.trim());
    });
  });
}

/** Runs the recipes for one runtime: `node22`, `bun`, `deno`. `command` is the program and its parameters. */
export async function networkChecks(runtime, command) {
  const kind = runtime.replace(/\d+$/, '');
  const folder = folderOf(runtime);
  const files = Object.fromEntries(['ca', 'cert', 'key'].map((name) => [name, `${folder}${name}.pem`]));
  mkdirSync(folder, { recursive: true });
  writeFileSync(files.ca, ca);
  const trust = kind === 'deno' ? { DENO_CERT: files.ca } : { NODE_EXTRA_CA_CERTS: files.ca };
  const write = ({ cert, key }) => {
    writeFileSync(files.cert, cert);
    writeFileSync(files.key, key);
  };
  const checks = [];
  const check = async (name, body) => {
    try {
      await body();
      checks.push({ name });
    } catch (error) {
      checks.push({ name, error: error.message });
    }
  };
  const expect = (holds, found) => {
    if (!holds) throw new Error(`found ${found}`);
  };
  const execute = (name, code, environment) => run(runtime, command, name, code, environment);
  const byEnvironment = (url) => ({ NODE_USE_ENV_PROXY: '1', HTTPS_PROXY: url });

  const platform = await serveTls();
  const guarded = await serveTls({ requestCert: true, ca });
  const credentials = `Basic ${Buffer.from('user:p@ss').toString('base64')}`;
  const proxy = await serveConnectProxy(({ headers }) => (headers['proxy-authorization'] === credentials ? 200 : 407));
  const proxyUrl = proxy.url.replace('//', '//user:p%40ss@');
  const tunnels = () => proxy.requests.filter(({ headers }) => headers['proxy-authorization'] === credentials).length;

  await check('a private authority is trusted by environment', async () => {
    const printed = await execute('ca', plain + read, { ...platform.environment, ...trust });
    expect(printed === 'READ true', printed);
    const without = await execute('no-ca', plain + failedRead, platform.environment);
    expect(without.startsWith('FAILED unknown'), without);
  });
  await check('a proxy by environment', async () => {
    const before = tunnels();
    const printed = await execute('env', plain + read, {
      ...platform.environment,
      ...trust,
      ...byEnvironment(proxyUrl),
    });
    expect(printed.endsWith('READ true') && tunnels() === before + 1, `${printed}, ${tunnels() - before} tunnels`);
  });
  await check('NO_PROXY', async () => {
    const before = tunnels();
    const environment = { ...platform.environment, ...trust, ...byEnvironment(proxyUrl), NO_PROXY: 'localhost' };
    const printed = await execute('no-proxy', plain + read, environment);
    expect(printed.endsWith('READ true') && tunnels() === before, `${printed}, ${tunnels() - before} tunnels`);
  });
  await check('a proxy by dispatcher', async () => {
    const before = tunnels();
    const environment = { ...platform.environment, ...trust, PROXY_URL: proxyUrl };
    const printed = await execute('proxy', recipes[`${kind}-proxy`] + read, environment);
    expect(printed === 'READ true' && tunnels() === before + 1, `${printed}, ${tunnels() - before} tunnels`);
  });
  await check('a proxy that rejects the tunnel', async () => {
    const printed = await execute('rejected', plain + failedPayment, {
      ...platform.environment,
      ...trust,
      ...byEnvironment(proxy.url),
    });
    expect(printed === `FAILED ${kind === 'deno' ? 'unknown' : 'not-sent'}`, printed);
  });
  if (recipes[`${kind}-mtls-proxy`] !== undefined)
    await check('a client certificate through a proxy', async () => {
      write(first);
      const before = tunnels();
      guarded.clients.length = 0;
      const environment = { ...guarded.environment, ...trust, PROXY_URL: proxyUrl };
      const printed = await execute('mtls-proxy', recipes[`${kind}-mtls-proxy`] + read, {
        ...environment,
        CLIENT_CERT: files.cert,
        CLIENT_KEY: files.key,
      });
      expect(
        printed === 'READ true' && tunnels() === before + 1 && guarded.clients.join() === 'partner-1',
        `${printed}, ${tunnels() - before} tunnels, certificates of ${guarded.clients.join()}`,
      );
    });
  await check('a client certificate, which is rotated', async () => {
    write(first);
    const environment = { ...guarded.environment, ...trust, CLIENT_CERT: files.cert, CLIENT_KEY: files.key };
    const rotate = `
      const { writeFileSync } = await import('node:fs');
      const { default: { pid, kill } } = await import('node:process');
      writeFileSync(${JSON.stringify(files.cert)}, ${JSON.stringify(second.cert)});
      writeFileSync(${JSON.stringify(files.key)}, ${JSON.stringify(second.key)});
      kill(pid, 'SIGHUP');
      await new Promise((resolve) => setTimeout(resolve, 200));\n`;
    const exit = kind === 'deno' ? 'Deno.exit();' : 'process.exit();';
    guarded.clients.length = 0;
    const printed = await execute('mtls', recipes[`${kind}-mtls`] + read + rotate + read + exit, environment);
    expect(
      printed === 'READ true\nREAD true' && guarded.clients.join() === 'partner-1,partner-2',
      `${printed}, certificates of ${guarded.clients.join()}`,
    );
  });
  await check('without its client certificate, the platform is not reached', async () => {
    const printed = await execute('no-cert', plain + failedRead, { ...guarded.environment, ...trust });
    expect(printed.startsWith('FAILED'), printed);
  });

  const countConnections = async (name, code) => {
    platform.clients.length = 0;
    const printed = await execute(name, code, { ...platform.environment, ...trust });
    return { printed, connections: platform.clients.length };
  };
  if (recipes[`${kind}-pool`] !== undefined)
    await check('a limit on the number of connections', async () => {
      const reads = 'await Promise.all(Array.from({ length: 40 }, () => corridor.crypto.networks()));\n';
      const { printed, connections } = await countConnections('pool', recipes[`${kind}-pool`] + reads + read);
      expect(printed === 'READ true' && connections <= 4, `${printed}, ${connections} connections`);
    });
  await check('a serverless handler whose invocations share a connection', async () => {
    // Deno returns a connection to its pool shortly after the response.
    const invocations = `
      const { statusCode } = await handler();
      await new Promise((resolve) => setTimeout(resolve, 200));
      console.log(statusCode, (await handler()).body);\n`;
    const { printed, connections } = await countConnections('serverless', recipes['serverless'] + invocations);
    expect(printed === '200 []' && connections === 1, `${printed}, ${connections} connections`);
  });

  await Promise.all([platform.close(), guarded.close(), proxy[Symbol.asyncDispose]()]);
  rmSync(folder, { recursive: true, force: true });
  return checks;
}
