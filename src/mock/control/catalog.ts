import type { CryptoNetwork, CryptoPaymentMethod } from '../../contract/schema/crypto.js';
import { MockPlatformError } from '../base/mock-error.js';
import type { MockOrganization } from '../platform/organization.js';

/** The parts of the crypto catalog, which the control API also offers as records. */
export const catalogKinds = ['networks', 'methods'] as const;

/** The name of a part of the catalog. */
export type CatalogKind = (typeof catalogKinds)[number];

/** Returns whether records are part of the catalog. */
export const isCatalogKind = (kind: string): kind is CatalogKind => (catalogKinds as readonly string[]).includes(kind);

type CatalogRecord = CryptoNetwork | ({ readonly id: string } & CryptoPaymentMethod);

/** A part of the crypto catalog as records. */
export interface CatalogRecords {
  all(): readonly CatalogRecord[];
  get(id: string): CatalogRecord | undefined;
  add(record: object): void;
  update(id: string, changes: object): void;
  remove(id: string): void;
}

/** Returns the crypto catalog of an organization as records. The id of a payment method is its token and network. */
export const catalogRecords = ({ crypto }: MockOrganization): Readonly<Record<CatalogKind, CatalogRecords>> => ({
  networks: recordsOf({
    kind: 'networks',
    all: () => crypto.networks(),
    save: (networks) => crypto.update({ networks: networks as readonly CryptoNetwork[] }),
    remove: ({ id }) => crypto.remove(id),
  }),
  methods: recordsOf({
    kind: 'methods',
    all: () => crypto.paymentMethods().map((method) => ({ id: `${method.token} ${method.network}`, ...method })),
    save: (methods) => crypto.update({ paymentMethods: methods.map(withoutId) }),
    remove: ({ network, token }) => crypto.remove(network, token),
  }),
});

const withoutId = (record: object): CryptoPaymentMethod =>
  Object.fromEntries(Object.entries(record).filter(([name]) => name !== 'id')) as unknown as CryptoPaymentMethod;

interface CatalogPart<T> {
  readonly kind: CatalogKind;
  all(): readonly T[];
  /** Replaces the records. Throws `MockPlatformError` if one violates the contract. */
  save(records: readonly object[]): void;
  remove(record: T): void;
}

function recordsOf<T extends CatalogRecord>({ kind, all, save, remove }: CatalogPart<T>): CatalogRecords {
  const get = (id: string): T | undefined => all().find((record) => record.id === id);
  const existing = (method: string, id: string): T => {
    const record = get(id);
    if (record !== undefined) return record;
    throw new MockPlatformError(
      `${kind}.${method}: ${JSON.stringify(id)} is not enabled. Call ${kind}.all for the enabled ones.`,
    );
  };
  return {
    all,
    get,
    add: (record) => save([...all(), record]),
    update(id, changes) {
      const changed = { ...existing('update', id), ...changes };
      save(all().map((record) => (record.id === id ? changed : record)));
    },
    remove: (id) => remove(existing('remove', id)),
  };
}
