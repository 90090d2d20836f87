import type { HandlersFor, HandlerContext } from './handler.js';
import { temporaryUrl } from '../../records/downloads.js';
import { notFound } from '../../wire/http-error.js';

function downloadUrl({ organization, params, base }: HandlerContext<'documents.downloadUrl'>) {
  if (organization.documents.get(params.id) === undefined) notFound('document', params.id);
  return temporaryUrl(organization, base, 'documents', [params.id]);
}

function remove({ organization, params }: HandlerContext<'documents.delete'>) {
  if (!organization.documents.delete(params.id)) notFound('document', params.id); // Assumed
  return undefined;
}

/** The handlers of the namespace `documents`. */
export const documents: HandlersFor<'documents'> = {
  'documents.downloadUrl': downloadUrl, // Assumed: A-4
  'documents.delete': remove,
};
