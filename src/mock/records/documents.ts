import { enumOf, requestId, string, memoize, strictObject } from '../../contract/schema/schema.js';
import { fileInput, toFileView, storedFile, type MockFile, type MockFileInput } from '../data/files.js';
import { omitUndefined } from '../base/freeze.js';
import type { OrganizationState } from '../state/platform-state.js';
import type { DocumentKind, StoredDocument } from '../state/record-kinds.js';
import { resolveCustomerId } from './customers.js';
import { fieldsOf, inputOf, recordsOf, timestampNow, type MockRecords } from './builder.js';

/** An uploaded document. The specification does not define this record. */
export interface MockDocument extends MockFile {
  /** The document's id. */
  readonly id: string;
  /** The customer it was uploaded for. */
  readonly customerId: string;
  /** The kind: a payment needs at least one document of kind `invoice`. */
  readonly kind: DocumentKind;
  /** The time of the upload in ISO 8601 format. */
  readonly createdAt: string;
}

/** The input of `documents.add`. */
export interface MockDocumentInput extends MockFileInput {
  /** The document's id. @default a generated id */
  readonly id?: string | undefined;
  /** The customer it is uploaded for. @default a new customer */
  readonly customerId?: string | undefined;
  /** The kind: a payment needs at least one document of kind `invoice`. @default 'invoice' */
  readonly kind?: DocumentKind | undefined;
  /** The time of the upload in ISO 8601 format. @default the time of the mock's clock */
  readonly createdAt?: string | undefined;
}

const call = 'documents.add';

type DocumentHead = Pick<StoredDocument, 'id' | 'customerId' | 'kind' | 'createdAt'>;

// Assumed: A-21, an invoice is identified by its kind.
const documentHead = memoize(() =>
  strictObject<DocumentHead>({
    id: requestId(),
    customerId: string(),
    kind: enumOf(['invoice', 'other']),
    createdAt: string(),
  }),
);

/** The schema of the input. */
export const documentInput = memoize(() => inputOf(documentHead(), fieldsOf(fileInput())));

/** Creates and stores a document, and its customer unless the input names one. */
export function createDocument(organization: OrganizationState, input: MockDocumentInput = {}): StoredDocument {
  const random = organization.random('documents', organization.documents.next);
  const id = random.id('doc_');
  const { fileName, contentType, content, ...rest } = input;
  const head = {
    id,
    customerId: '',
    kind: 'invoice' as const,
    createdAt: rest.createdAt ?? timestampNow(organization),
    ...omitUndefined(rest),
  };
  const file = storedFile(
    { fileName, contentType, content },
    `${head.kind === 'invoice' ? 'invoice' : 'document'}-${random.digits(6)}.pdf`,
  );
  const customerId = resolveCustomerId(organization, call, input.customerId, head.createdAt);
  return organization.documents.insert(head.id, Date.parse(head.createdAt), { ...head, customerId, ...file });
}

/** Returns a document with other fields. */
function changeDocument(_: OrganizationState, stored: StoredDocument, partial: MockDocumentInput): StoredDocument {
  const { fileName: oldName, contentType: oldType, content: oldContent, ...oldHead } = stored;
  const { fileName = oldName, contentType, content, ...rest } = partial;
  return {
    ...oldHead,
    ...omitUndefined(rest),
    ...storedFile({ fileName, contentType, content }, fileName),
    ...(content === undefined && { content: oldContent, contentType: contentType ?? oldType }),
  };
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
export interface MockDocuments extends MockRecords<MockDocument, MockDocumentInput> {
  /** Removes a document, also one of a payment, which keeps its id. Throws `MockPlatformError` if it does not exist. */
  remove(id: string): void;
}

/** Creates the public interface of the documents. */
export function documentRecords(organization: OrganizationState): MockDocuments {
  return recordsOf(organization, {
    name: 'documents',
    input: documentInput,
    create: createDocument,
    toView: (_, stored): MockDocument => ({ ...stored, ...toFileView(stored) }),
    change: changeDocument,
  });
}
