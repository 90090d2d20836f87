import { execFileSync } from 'node:child_process';
import { constants, generateKeyPairSync, privateEncrypt } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { createRequire } from 'node:module';
import type { AddressInfo, Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fromJSON } from '@grpc/proto-loader';
import * as grpc from '@grpc/grpc-js';

/** The key of every fake KMS, and all bytes that they were asked to sign. */
export const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
export const digests: Buffer[] = [];

// The DigestInfo of SHA-256 (RFC 8017, section 9.2), which precedes the digest.
const digestInfo = Buffer.from('3031300d060960864801650304020105000420', 'hex');

/** Signs a digest as a KMS does: RSASSA-PKCS1-v1_5. */
function signDigest(digest: Buffer): Buffer {
  digests.push(digest);
  if (digest.length !== 32) throw new Error(`not a SHA-256 digest: ${digest.length} bytes`);
  return privateEncrypt({ key: privateKey, padding: constants.RSA_PKCS1_PADDING }, Buffer.concat([digestInfo, digest]));
}

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

async function bodyOf(request: IncomingMessage): Promise<Record<string, string>> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return chunks.length === 0 ? {} : (JSON.parse(Buffer.concat(chunks).toString()) as Record<string, string>);
}

function respond(response: ServerResponse, status: number, body: object, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

/** AWS KMS: JSON 1.1 over HTTP. The first call is throttled. */
export async function serveAws() {
  let calls = 0;
  const server = createServer(async (request, response) => {
    const { KeyId, Message = '', MessageType, SigningAlgorithm } = await bodyOf(request);
    const type = { 'content-type': 'application/x-amz-json-1.1' };
    if (
      request.headers['x-amz-target'] !== 'TrentService.Sign' ||
      !String(request.headers.authorization).startsWith('AWS4-HMAC-SHA256 ')
    )
      return respond(response, 400, { __type: 'InvalidAction' }, type);
    if (MessageType !== 'DIGEST' || SigningAlgorithm !== 'RSASSA_PKCS1_V1_5_SHA_256')
      return respond(response, 400, { __type: 'ValidationException' }, type);
    if ((calls += 1) === 1) return respond(response, 400, { __type: 'ThrottlingException' }, type);
    const Signature = signDigest(Buffer.from(Message, 'base64')).toString('base64');
    return respond(response, 200, { KeyId, Signature, SigningAlgorithm }, type);
  });
  const port = await listen(server);
  return { url: `http://127.0.0.1:${port}`, calls: () => calls, close: () => server.close() };
}

/** Azure Key Vault: REST over HTTPS, with an authentication challenge before the first call. */
export async function serveAzure() {
  const folder = mkdtempSync(join(tmpdir(), 'fake-vault-'));
  const [keyFile, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
  execFileSync(
    'openssl',
    [
      'req',
      '-x509',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-keyout',
      keyFile,
      '-out',
      certificate,
      '-days',
      '1',
      '-subj',
      '/CN=localhost',
      '-addext',
      'subjectAltName=DNS:localhost',
    ],
    { stdio: 'ignore' },
  );
  const [key, cert] = [readFileSync(keyFile, 'utf8'), readFileSync(certificate, 'utf8')];
  rmSync(folder, { recursive: true });
  const server = createSecureServer({ key, cert }, async (request, response) => {
    const { alg, value = '' } = await bodyOf(request);
    if (request.headers.authorization !== 'Bearer token-of-the-test')
      return respond(
        response,
        401,
        {},
        {
          'www-authenticate': 'Bearer authorization="https://login.example/tenant", resource="https://vault.azure.net"',
        },
      );
    const [, name, version] = /^\/keys\/([\w-]+)\/([\w-]+)\/sign\?/.exec(request.url ?? '') ?? [];
    if (request.method === 'GET')
      return respond(response, 403, { error: { code: 'Forbidden', message: 'keys/get is not permitted' } });
    if (request.method !== 'POST' || name === undefined || alg !== 'RS256')
      return respond(response, 400, { error: { code: 'BadParameter', message: 'not a signature' } });
    return respond(response, 200, {
      kid: `https://localhost/keys/${name}/${version}`,
      value: signDigest(Buffer.from(value, 'base64url')).toString('base64url'),
    });
  });
  const port = await listen(server);
  return { url: `https://localhost:${port}`, ca: cert, close: () => server.close() };
}

/** Google Cloud KMS: gRPC. */
export async function serveGoogle() {
  const protos = createRequire(import.meta.url)('@google-cloud/kms/build/protos/protos.json') as object;
  const definition = fromJSON(protos as Parameters<typeof fromJSON>[0])['google.cloud.kms.v1.KeyManagementService'];
  const server = new grpc.Server();
  server.addService(definition as grpc.ServiceDefinition, {
    asymmetricSign: (
      {
        request,
      }: {
        readonly request: {
          readonly name: string;
          readonly digest?: { readonly sha256?: Buffer };
          readonly data?: Buffer;
        };
      },
      respondTo: (error: object | null, response?: object) => void,
    ) =>
      request.digest?.sha256 === undefined || (request.data?.length ?? 0) > 0
        ? respondTo({ code: grpc.status.INVALID_ARGUMENT, message: 'no digest' })
        : respondTo(null, { name: request.name, signature: signDigest(request.digest.sha256) }),
  });
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    ),
  );
  return { port, close: () => server.forceShutdown() };
}
