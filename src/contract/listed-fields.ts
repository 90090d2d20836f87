import * as core from 'zod/v4/core';
import { unwrap } from './violations.js';

/** Returns the paths of all fields of the records in an envelope, such as `id` and `beneficiary.companyName`. */
export function listedFields(envelope: core.$ZodType): string[] {
  const inner = unwrap(envelope);
  if (!(inner instanceof core.$ZodObject)) return [];
  const records = Object.values(inner._zod.def.shape).map(unwrap);
  return records.flatMap((field) => (field instanceof core.$ZodArray ? pathsOf(field._zod.def.element, '') : []));
}

function pathsOf(schema: core.$ZodType, prefix: string): string[] {
  const inner = unwrap(schema);
  if (inner instanceof core.$ZodUnion) return inner._zod.def.options.flatMap((option) => pathsOf(option, prefix));
  if (!(inner instanceof core.$ZodObject)) return [];
  return Object.entries(inner._zod.def.shape).flatMap(([name, field]) => [
    `${prefix}${name}`,
    ...pathsOf(field, `${prefix}${name}.`),
  ]);
}
