import { oneOf, requestId, text } from '../../contract/field.js';
import { lazily, record } from '../../contract/schema.js';
import { shownFile, storedFile, type MockFile, type MockFileInput } from '../files.js';
import type { OrganizationState } from '../state.js';
import type { DocumentKind, StoredDocument } from '../stored.js';
import { createCustomer } from './customers.js';
import { given, MockRecords, refuseUnknown, requireConforming, timeOf, timestampNow } from './input.js';

/** An uploaded document. The specification shows no such record; this one is the mock's. */
export interface MockDocument extends MockFile {
  readonly id: string;
  /** The customer it was uploaded for. */
  readonly customerId: string;
  /** Whether it counts as the invoice that a payment needs. */
  readonly kind: DocumentKind;
  readonly createdAt: string;
}

/** What `documents.add` takes. */
export interface MockDocumentInput extends MockFileInput {
  readonly id?: string | undefined;
  /** The customer it is uploaded for. @default one that is made */
  readonly customerId?: string | undefined;
  /** Whether it counts as the invoice that a payment needs. @default 'invoice' */
  readonly kind?: DocumentKind | undefined;
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
  const customerId = input.customerId ?? createCustomer(organization, { createdAt: head.createdAt }).id;
  if (organization.customers.get(customerId) === undefined) refuseUnknown(call, 'customerId', customerId);
  const stored: StoredDocument = { ...head, customerId, ...file };
  organization.documents.insert(stored.id, at, stored);
  return stored;
}

const shown = (stored: StoredDocument): MockDocument => ({ ...stored, ...shownFile(stored) });

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
export class MockDocuments extends MockRecords<MockDocument, MockDocumentInput> {
  override add(partial?: MockDocumentInput): MockDocument {
    return shown(createDocument(this.organization, partial));
  }

  override get(id: string): MockDocument | undefined {
    const stored = this.organization.documents.get(id);
    return stored && shown(stored);
  }

  override all(): MockDocument[] {
    return this.organization.documents.values().map(shown);
  }
}
