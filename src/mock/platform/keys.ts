import { nonEmptyString, memoize } from '../../contract/schema/schema.js';
import { importKeys, type RegisteredKeys } from '../base/keys.js';
import { MockPlatformError, requireValid } from '../base/mock-error.js';
import type { OrganizationState } from '../state/platform-state.js';

/** A public key that verifies the tokens of an organization. */
export interface MockPublicKey {
  /** Its RFC 7638 thumbprint, as `corridor doctor` prints it and `requests` have it. */
  readonly keyId: string;
  /** The key in SPKI PEM format. */
  readonly publicKey: string;
}

/**
 * The registered public keys and API keys of an organization, to test a rotation: add the new key, use it, and revoke
 * the old one. `reset` restores the keys that the organization was added with.
 *
 * @example
 * ```ts
 * import { generateKeyPairSync } from 'node:crypto';
 * import { createMockPlatform } from 'corridor-sdk/mock';
 * const platform = createMockPlatform();
 * const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
 * const [old] = await platform.keys.publicKeys();
 * await platform.keys.addPublicKey(publicKey.export({ type: 'spki', format: 'pem' }).toString());
 * await platform.keys.revokePublicKey(old?.keyId ?? '');
 * ```
 */
export interface MockKeys {
  /**
   * Registers a public key in SPKI PEM format beside the others. Rejects with `MockPlatformError` if it is not an RSA
   * key of at least 2048 bits, or is already registered.
   */
  addPublicKey(publicKey: string): Promise<MockPublicKey>;
  /**
   * Revokes a public key: requests that it would verify get a 401. Rejects with `MockPlatformError` if no key with this
   * id is registered.
   */
  revokePublicKey(keyId: string): Promise<void>;
  /** Returns the registered public keys, oldest first. */
  publicKeys(): Promise<MockPublicKey[]>;
  /**
   * Registers an API key beside the others. Throws `MockPlatformError` if it is empty, or already belongs to an
   * organization.
   */
  addApiKey(apiKey: string): void;
  /** Revokes an API key: requests with it get a 401. Throws `MockPlatformError` if it is not registered. */
  revokeApiKey(apiKey: string): void;
  /** Returns the registered API keys, oldest first. */
  apiKeys(): string[];
}

const nonEmpty = memoize(() => nonEmptyString());

/** Creates the public interface of the keys of an organization. */
export function keysOf(organization: OrganizationState): MockKeys {
  const publicKeys = async (): Promise<MockPublicKey[]> =>
    (await organization.publicKeys()).map(({ keyId, publicKey }) => ({ keyId, publicKey }));
  const register = (keys: Partial<RegisteredKeys>): void => {
    organization.registered = { ...organization.registered, ...keys };
  };
  return {
    addPublicKey: async (given) => {
      const { keyId, publicKey } = await importKeys({ publicKey: given });
      if ((await publicKeys()).some((key) => key.keyId === keyId))
        throw new MockPlatformError(`keys.addPublicKey: the key ${keyId} is already registered. Pass another one.`);
      register({ publicKeys: [...organization.registered.publicKeys, publicKey] });
      return { keyId, publicKey };
    },
    revokePublicKey: async (keyId) => {
      const keys = await publicKeys();
      const index = keys.findIndex((key) => key.keyId === keyId);
      if (index === -1) notRegistered('revokePublicKey: the public key', 'publicKeys');
      register({ publicKeys: organization.registered.publicKeys.toSpliced(index, 1) });
    },
    publicKeys,
    addApiKey: (apiKey) => {
      requireValid('keys.addApiKey', nonEmpty, apiKey, 'apiKey');
      if (organization.platform.byApiKey(apiKey) !== undefined)
        throw new MockPlatformError('keys.addApiKey: apiKey already belongs to an organization. Pass another one.');
      register({ apiKeys: [...organization.registered.apiKeys, apiKey] });
    },
    revokeApiKey: (apiKey) => {
      const index = organization.apiKeys.indexOf(apiKey);
      if (index === -1) notRegistered('revokeApiKey: the API key', 'apiKeys');
      register({ apiKeys: organization.registered.apiKeys.toSpliced(index, 1) });
    },
    apiKeys: () => [...organization.apiKeys],
  };
}

function notRegistered(subject: string, list: string): never {
  throw new MockPlatformError(`keys.${subject} is not registered. Call keys.${list} for those that are.`);
}
