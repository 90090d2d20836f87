import * as core from 'zod/v4/core';
import { resolveDialect } from './dialect.js';
import { endpoints } from './endpoints.js';
import { unwrap } from './violations.js';
import { hasOwn } from './own-properties.js';
import { metadataOf } from './schema/schema.js';

const mask = '[masked]';
// No record of the contract is nested this deep, but a malicious body may be.
const maxDepth = 64;
let cachedNames: ReadonlySet<string> | undefined;

/** Returns the names of all fields that the contract marks as personal or account data. */
function sensitiveNames(): ReadonlySet<string> {
  return (cachedNames ??= collectSensitiveNames());
}

/**
 * Returns a copy of a body with personal and account data masked at every depth. `maskSecrets` masks secrets in its
 * other texts, in its numbers and in the names of its fields.
 */
export function redactBody(body: unknown, maskSecrets: (text: string) => string): unknown {
  if (typeof body === 'string') return maskSecrets(redactText(body));
  const copy = (value: unknown, sensitive: boolean, depth: number): unknown => {
    if (typeof value === 'string' || typeof value === 'number') {
      if (sensitive) return mask;
      const text = maskSecrets(String(value));
      return text === String(value) ? value : text;
    }
    if (typeof value !== 'object' || value === null) return value;
    if (depth > maxDepth) return '[too deep]';
    if (Array.isArray(value)) return value.map((item: unknown) => copy(item, sensitive, depth + 1));
    const fields: Record<string, unknown> = {};
    for (const key of Object.keys(value)) {
      const field = copy((value as Record<string, unknown>)[key], sensitive || sensitiveNames().has(key), depth + 1);
      const name = maskSecrets(key);
      // An assignment would set the prototype.
      if (name === '__proto__')
        Object.defineProperty(fields, name, { value: field, enumerable: true, configurable: true, writable: true });
      else fields[name] = field;
    }
    return fields;
  };
  return copy(body, false, 0);
}

// An invalid JSON body may still be a truncated record.
function redactText(text: string): string {
  let clean = '';
  let position = 0;
  for (const { 0: field, 1: name = '', index } of text.matchAll(/"(\w+)"\s*:\s*/g)) {
    if (index < position || !sensitiveNames().has(name)) continue;
    const start = index + field.length;
    const end = endOfValue(text, start);
    if (end === start) continue;
    clean += `${text.slice(position, start)}"${mask}"`;
    position = end;
  }
  return clean + text.slice(position);
}

/**
 * Returns where the text, number, array or object ends that starts at a position of a text: at the latest at the end of
 * the text, which may be cut off; the position itself if nothing of these starts there.
 */
function endOfValue(text: string, start: number): number {
  const part = /"(?:[^"\\]|\\.)*(?:"|\\?$)|[[\]{}]|[^"[\]{}]+/sy;
  const number = /-?\d[\d.eE+-]*/y;
  part.lastIndex = number.lastIndex = start;
  if (number.test(text)) return number.lastIndex;
  if (!/["[{]/.test(text.charAt(start))) return start;
  let depth = 0;
  do {
    const [found = ''] = part.exec(text) ?? [];
    if (found === '[' || found === '{') depth += 1;
    if (found === ']' || found === '}') depth -= 1;
  } while (depth > 0 && part.lastIndex < text.length);
  return part.lastIndex;
}

function collectSensitiveNames(): ReadonlySet<string> {
  const found = new Set<string>();
  const seen = new Set<core.$ZodType>();
  const visit = (schema: core.$ZodType, name: string | undefined): void => {
    const inner = unwrap(schema);
    if (metadataOf(inner).sensitive === true && name !== undefined) found.add(name);
    if (inner instanceof core.$ZodArray) visit(inner._zod.def.element, name);
    // A shared string schema occurs under many names, so only objects are visited once.
    if (seen.has(inner)) return;
    if (inner instanceof core.$ZodObject) {
      seen.add(inner);
      for (const [key, field] of Object.entries(inner._zod.def.shape)) visit(field, key);
    }
    if (inner instanceof core.$ZodUnion) for (const option of inner._zod.def.options) visit(option, name);
  };
  const dialect = resolveDialect();
  for (const endpoint of Object.values(endpoints)) {
    if (hasOwn(endpoint, 'result')) visit(endpoint.result(), undefined);
    if (hasOwn(endpoint, 'body')) visit(endpoint.body(dialect), undefined);
  }
  return found;
}
