import type { Schema } from '../contract/schema/schema.js';
import { formatIssues, validateRequest } from '../contract/validate.js';
import { ConfigurationError } from '../errors/api.js';

/** Validates a stored checkpoint. Throws a ConfigurationError if it is damaged or has an unknown version. */
export function validateCheckpoint<T>(schema: Schema<T>, stored: unknown, call: string): T {
  const { version } = Object(stored) as { readonly version?: unknown };
  if (version !== 1)
    throw new ConfigurationError(
      `the checkpoint has an unsupported version (received ${typeof version === 'number' ? version : typeof version}, expected 1). Update the package, or pass a checkpoint of ${call}`,
      { endpoint: call },
    );
  const issues = validateRequest(schema(), stored);
  if (issues.length > 0)
    throw new ConfigurationError(
      `the checkpoint is damaged: ${formatIssues(issues.slice(0, 1), 'it')}. Store the complete checkpoint as JSON, and pass it unchanged`,
      { endpoint: call },
    );
  return stored as T;
}
