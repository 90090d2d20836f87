import * as core from 'zod/v4/core';
import { bare, ruleOf } from './check.js';

/** A field of a request, in words. */
export interface RequestField {
  /** Its name. */
  readonly name: string;
  /** Whether it must be there. */
  readonly required: boolean;
  /** The rule its value keeps, such as `must be a string`. */
  readonly rule: string;
}

/** The fields that a request's schema knows, in order. */
export function requestFields(schema: core.$ZodType): RequestField[] {
  const inner = bare(schema);
  if (!(inner instanceof core.$ZodObject)) return [];
  return Object.entries(inner._zod.def.shape).map(([name, field]) => ({ name, required: !(field instanceof core.$ZodOptional), rule: ruleOf(bare(field)) }));
}
