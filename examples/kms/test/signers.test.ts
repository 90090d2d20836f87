import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { KMSClient } from '@aws-sdk/client-kms';
import { CryptographyClient } from '@azure/keyvault-keys';
import { KeyManagementServiceClient } from '@google-cloud/kms';
import { credentials } from '@grpc/grpc-js';
import { Corridor, type Signer } from 'corridor-sdk';
import { createMockPlatform } from 'corridor-sdk/mock';
import { awsSigner } from '../aws.ts';
import { azureSigner } from '../azure.ts';
import { googleSigner } from '../google.ts';
import { digests, privateKey, serveAws, serveAzure, serveGoogle } from './fake-kms.ts';

/** Makes a read with a signer, and returns the `kid` of its token. The mock verifies the token with the public key. */
async function keyIdOfRead(signer: Signer): Promise<unknown> {
  const platform = createMockPlatform({
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  });
  const { privateKey: _own, ...options } = platform.clientOptions();
  let token = '';
  const corridor = new Corridor({
    ...options,
    signer,
    fetch: (url, init) => {
      token = String(new Headers(init?.headers).get('authorization'));
      return platform.fetch(url, init);
    },
  });
  digests.length = 0;
  assert.ok((await corridor.crypto.networks()).length > 0);
  assert.ok(digests.length > 0 && digests.every(({ length }) => length === 32));
  return (
    JSON.parse(Buffer.from(token.slice('Bearer '.length).split('.')[0] ?? '', 'base64url').toString()) as {
      kid?: string;
    }
  ).kid;
}

test('AWS KMS signs a digest, and the client waits while it limits the rate', async () => {
  const aws = await serveAws();
  after(() => aws.close());
  const kms = new KMSClient({
    endpoint: aws.url,
    region: 'eu-central-1',
    credentials: { accessKeyId: 'id-of-the-test', secretAccessKey: 'secret-of-the-test' },
    // The client of the SDK retries by itself.
    maxAttempts: 1,
  });
  after(() => kms.destroy());

  assert.equal(await keyIdOfRead(awsSigner(kms, 'alias/corridor')), undefined);
  assert.equal(aws.calls(), 2);
});

test('Google Cloud KMS signs a digest, and the version of the key is the kid', async () => {
  const google = await serveGoogle();
  after(() => google.close());
  const kms = new KeyManagementServiceClient({
    apiEndpoint: '127.0.0.1',
    port: google.port,
    sslCreds: credentials.createInsecure(),
    projectId: 'test',
  } as ConstructorParameters<typeof KeyManagementServiceClient>[0]);
  after(() => kms.close());
  const key = 'projects/test/locations/global/keyRings/ring/cryptoKeys/corridor/cryptoKeyVersions';
  let version = 1;
  const signer = googleSigner(kms, () => `${key}/${version}`);

  assert.equal(await keyIdOfRead(signer), '1');
  version = 2;
  assert.equal(await keyIdOfRead(signer), '2');
});

test('Azure Key Vault signs a digest, and the version of the key is the kid', async () => {
  const azure = await serveAzure();
  after(() => azure.close());
  const credential = {
    getToken: async () => ({ token: 'token-of-the-test', expiresOnTimestamp: Date.now() + 3_600_000 }),
  };
  const client = new CryptographyClient(`${azure.url}/keys/corridor/v1`, credential, {
    disableChallengeResourceVerification: true,
    tlsOptions: { ca: azure.ca },
  });

  assert.equal(await keyIdOfRead(azureSigner(() => client)), 'v1');
});
