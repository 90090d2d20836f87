import * as z from 'zod/mini';
import { importKeys } from '../../keys.js';
import type { MockOrganizationOptions } from '../../options.js';
import type { MockOrganization } from '../../organization.js';
import type { MockPlatform } from '../../platform.js';
import { pageQuery, selectElements } from '../../records/select.js';
import { noParameters, object, text, type NamedCalls } from './call.js';

const describeOrganization = (organization: MockOrganization): object => ({
  id: organization.id,
  name: organization.name,
  apiKey: organization.clientOptions().apiKey,
});

async function credentialsOf(organization: MockOrganization): Promise<object> {
  return { id: organization.id, name: organization.name, ...(await organization.credentials()) };
}

async function addOrganization(platform: MockPlatform, options: MockOrganizationOptions = {}): Promise<object> {
  // Validates the keys first, so that invalid ones do not leave an organization behind.
  if (options.publicKey !== undefined || options.privateKey !== undefined) await importKeys(options);
  const organization = platform.organization(options);
  // With a public key only, there is no private key to return.
  return 'publicKey' in options && !('privateKey' in options)
    ? { baseUrl: platform.baseUrl, ...describeOrganization(organization), ...options }
    : credentialsOf(organization);
}

/** The calls that add, list and fill organizations. */
export const organizationCalls: NamedCalls = [
  [
    'organization',
    {
      scope: 'platform',
      parameters: z.strictObject({ options: z.optional(object) }),
      run: (platform, _, options) => addOrganization(platform, options),
    },
  ],
  [
    'organizations',
    {
      scope: 'platform',
      parameters: z.strictObject({ query: z.optional(pageQuery()) }),
      reads: true,
      run: (platform, _, query) =>
        selectElements('organizations', platform.organizations, query).map(describeOrganization),
    },
  ],
  [
    'removeOrganization',
    {
      scope: 'platform',
      parameters: z.strictObject({ id: text }),
      run: (platform, _, id) => platform.removeOrganization(id),
    },
  ],
  ['credentials', { parameters: noParameters, reads: true, run: (_, organization) => credentialsOf(organization) }],
  [
    'populate',
    {
      parameters: z.strictObject({ sizes: z.optional(object) }),
      run: (_, organization, sizes) => organization.populate(sizes),
    },
  ],
];
