import { oneOf, requestId, text } from '../../contract/field.js';
import { lazily, record } from '../../contract/schema.js';
import { shownFile, storedFile, type MockFile, type MockFileInput } from '../files.js';
import type { OrganizationState } from '../state.js';
import type { DocumentKind, StoredDocument } from '../stored.js';
import { ownerOf } from './customers.js';
import { given, recordsOf, requireConforming, timeOf, timestampNow, type MockRecords } from './input.js';

/** An uploaded document. The specification shows no such record; this one is the mock's. */
export interface MockDocument extends MockFile {
  /** The document's id. */
  readonly id: string;
  /** The customer it was uploaded for. */
  readonly customerId: string;
  /** Whether it counts as the invoice that a payment needs. */
  readonly kind: DocumentKind;
  /** When it was uploaded, an ISO 8601 text. */
  readonly createdAt: string;
}

/** What `documents.add` takes. */
export interface MockDocumentInput extends MockFileInput {
  /** The document's id. @default one that is made */
  readonly id?: string | undefined;
  /** The customer it is uploaded for. @default one that is made */
  readonly customerId?: string | undefined;
  /** Whether it counts as the invoice that a payment needs. @default 'invoice' */
  readonly kind?: DocumentKind | undefined;
  /** When it was uploaded, an ISO 8601 text. @default the mock's time */
  readonly createdAt?: string | undefined;
}

const call = 'documents.add';

type DocumentHead = Pick<StoredDocument, 'id' | 'customerId' | 'kind' | 'createdAt'>;

// Assumed: A-21, an invoice is known by its kind.
const documentHead = lazily(() =>
  record<DocumentHead>({ id: requestId(), customerId: text(), kind: oneOf(['invoice', 'other']), createdAt: text() }),
);

/** Makes a document, and its customer where none is named, and puts them into the state. */
export function createDocument(organization: OrganizationState, input: MockDocumentInput = {}): StoredDocument {
  const random = organization.random('documents', organization.documents.next);
  const id = `doc_${random.letters(16)}`;
  const { fileName, contentType, content, ...rest } = input;
  const head = { id, customerId: '', kind: 'invoice', createdAt: timestampNow(organization), ...given(rest) };
  requireConforming(call, documentHead, head);
  const at = timeOf(call, head.createdAt);
  const file = storedFile(call, { fileName, contentType, content }, `${head.kind === 'invoice' ? 'invoice' : 'document'}-${random.digits(6)}.pdf`);
  const customerId = ownerOf(organization, call, input.customerId, head.createdAt);
  return organization.documents.insert(head.id, at, { ...head, customerId, ...file });
}

/**
 * The uploaded documents of an organization.
 *
 * @example
 * ```ts
 * import { createMockPlatform } from 'corridor-sdk/mock';
 * const platform = createMockPlatform();
 * const customer = platform.customers.add();
 * const invoice = platform.documents.add({ customerId: customer.id, kind: 'invoice', content: 'Invoice 2026-001' });
 * ```
 */
export interface MockDocuments extends MockRecords<MockDocument, MockDocumentInput> {}

/** The uploaded documents of an organization. */
export function documentRecords(organization: OrganizationState): MockDocuments {
  return recordsOf(organization, {
    call,
    create: createDocument,
    collection: ({ documents }) => documents,
    show: (_, stored): MockDocument => ({ ...stored, ...shownFile(stored) }),
  });
}
