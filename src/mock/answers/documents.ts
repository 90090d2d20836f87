import type { AnswersOf, Call } from '../call.js';
import { temporaryUrl } from '../downloads.js';
import { refuseMissing } from '../refusal.js';

function downloadUrl({ organization, parameters, base }: Call<'documents.downloadUrl'>) {
  if (organization.documents.get(parameters.id) === undefined) refuseMissing('document');
  return temporaryUrl(organization, base, 'documents', [parameters.id]);
}

function remove({ organization, parameters }: Call<'documents.delete'>) {
  if (!organization.documents.delete(parameters.id)) refuseMissing('document'); // Assumed: A-20
  return undefined;
}

/** The answers of the namespace `documents`. */
export const documents: AnswersOf<'documents'> = {
  'documents.downloadUrl': downloadUrl, // Assumed: A-4
  'documents.delete': remove,
};
