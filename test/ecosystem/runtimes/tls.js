import { createPrivateKey } from 'node:crypto';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { selfSigned } from '../../support/certificate.ts';
import { serveTlsFaults, tlsFaults } from '../../reliability/tls/tls-fault-server.ts';

// For Node: TLS failures after a POST was received. The server is in the same process.

const payment = {
  customerId: 'cus_1',
  beneficiaryId: 'ben_1',
  amount: '10.00',
  currencyCode: 'USD',
  purposeOfPayment: 'Goods',
  documentIds: ['doc_1'],
  paymentQuoteId: 'quo_1',
};

/** Checks every fault and two statuses over HTTP/1.1 and HTTP/2. Node 22 and 24 speak HTTP/2 only through undici. */
export async function tlsChecks({ Corridor }, { apiKey, privateKey }) {
  const certificate = selfSigned(createPrivateKey(privateKey));
  setDefaultCACertificates([...getCACertificates('default'), certificate]);
  const checks = [];
  for (const [protocol, fetch] of [
    ['http/1.1', undefined],
    ['h2', Number.parseInt(process.versions.node) < 26 ? await undiciFetch(certificate) : undefined],
  ]) {
    for (const internalReference of [...tlsFaults, 'status 421', 'status 401']) {
      // Each has a server, because fetch can go on using a session of HTTP/2 that broke.
      const server = await serveTlsFaults(protocol, privateKey, certificate);
      const corridor = new Corridor({ baseUrl: server.url, apiKey, privateKey, fetch });
      const error = await corridor.payments.create({ ...payment, internalReference }).then(
        () => undefined,
        (reason) => reason,
      );
      await server[Symbol.asyncDispose]();
      const length = String(JSON.stringify({ ...payment, internalReference }).length);
      const expected = internalReference === 'status 401' ? 'rejected' : 'unknown';
      const found = JSON.stringify([
        error?.outcome,
        error?.status === undefined ? '' : `status ${error.status}`,
        server.posts,
      ]);
      const wanted = JSON.stringify([
        expected,
        internalReference.startsWith('status') ? internalReference : '',
        [{ fault: internalReference, protocol, length }],
      ]);
      checks.push({
        name: `${internalReference} over ${protocol}`,
        ...(found === wanted ? {} : { error: `${found}, and not ${wanted}` }),
      });
    }
  }
  return checks;
}

async function undiciFetch(ca) {
  const { Agent, fetch } = await import('undici');
  const dispatcher = new Agent({ allowH2: true, connect: { ca } });
  return (input, init) => fetch(input, { ...init, dispatcher });
}
