import * as core from 'zod/v4/core';
import { resolveDialect } from './dialect.js';
import { endpoints } from './endpoints.js';
import { bare } from './check.js';
import { owns } from './own.js';
import { meaningOf } from './schema.js';

const mask = '[masked]';
// No record of ours is nested nearly as deep; a hostile body may be.
const deepest = 64;
let names: ReadonlySet<string> | undefined;

/** The names of all fields that the contract marks as personal or account data. */
function sensitiveNames(): ReadonlySet<string> {
  return (names ??= collect());
}

/** A copy of a body fit for people who should not see personal or account data: such fields are masked wherever they stand. */
export function masked(body: unknown): unknown {
  if (typeof body === 'string') return maskedText(body);
  const copy = (value: unknown, sensitive: boolean, depth: number): unknown => {
    if (typeof value === 'string' || typeof value === 'number') return sensitive ? mask : value;
    if (typeof value !== 'object' || value === null) return value;
    if (depth > deepest) return '[too deep]';
    if (Array.isArray(value)) return value.map((item: unknown) => copy(item, sensitive, depth + 1));
    return Object.fromEntries(Object.entries(value).map(([name, field]: [string, unknown]) => [name, copy(field, sensitive || sensitiveNames().has(name), depth + 1)]));
  };
  return copy(body, false, 0);
}

// A body that is no JSON may be most of one.
function maskedText(text: string): string {
  return text.replace(/"(\w+)"(\s*:\s*)"(?:[^"\\]|\\.)*"?/g, (field, name: string, colon: string) => (sensitiveNames().has(name) ? `"${name}"${colon}"${mask}"` : field));
}

function collect(): ReadonlySet<string> {
  const found = new Set<string>();
  const seen = new Set<core.$ZodType>();
  const visit = (schema: core.$ZodType, name: string | undefined): void => {
    const inner = bare(schema);
    if (meaningOf(inner).sensitive === true && name !== undefined) found.add(name);
    if (inner instanceof core.$ZodArray) visit(inner._zod.def.element, name);
    // A shared text schema stands under many names; only what has parts is looked at once.
    if (seen.has(inner)) return;
    if (inner instanceof core.$ZodObject) {
      seen.add(inner);
      for (const [key, field] of Object.entries(inner._zod.def.shape)) visit(field, key);
    }
    if (inner instanceof core.$ZodUnion) for (const option of inner._zod.def.options) visit(option, name);
  };
  const dialect = resolveDialect();
  for (const endpoint of Object.values(endpoints)) {
    if (owns(endpoint, 'result')) visit(endpoint.result(), undefined);
    if (owns(endpoint, 'body')) visit(endpoint.body(dialect), undefined);
  }
  return found;
}
