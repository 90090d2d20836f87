import type { Outline, OutlineField } from './outline.js';
import type { Predicate } from './predicate.js';

/**
 * An outline as code that is made for it: about as fast as code by hand. It reads a record's fields by name and then counts its keys,
 * which is all it takes to know that there are no others. Only where code may be made from text.
 */
export function emittedPredicate(outline: Outline): Predicate {
  const functions: string[] = [];
  const test = expression(outline, 'v', functions);
  // Nothing of an answer goes into the text: names and values of the contract only.
  const make = new Function(`"use strict";\n${functions.join('\n')}\nreturn (v) => ${test};`) as () => Predicate;
  return make();
}

/** The test of what stands in a variable; functions that it needs are added to the list. */
function expression(outline: Outline, variable: string, functions: string[]): string {
  switch (outline.kind) {
    case 'typeof': return `typeof ${variable} === ${JSON.stringify(outline.type)}`;
    case 'integer': return `Number.isSafeInteger(${variable})`;
    case 'anything': return `${variable} !== undefined`;
    case 'values': return `(${outline.values.map((value) => `${variable} === ${JSON.stringify(value)}`).join(' || ')})`;
    case 'nullable': return `(${variable} === null || ${expression(outline.inner, variable, functions)})`;
    case 'list': return call(functions, variable, `
  if (!Array.isArray(v)) return false;
  for (let index = 0; index < v.length; index += 1) { const item = v[index]; if (!(${expression(outline.item, 'item', functions)})) return false; }
  return true;`);
    case 'variants': return call(functions, variable, `
  if (typeof v !== "object" || v === null || Array.isArray(v)) return false;
  switch (v[${JSON.stringify(outline.discriminator)}]) {
${outline.variants.map(([value, variant]) => `    case ${JSON.stringify(value)}: return ${expression(variant, 'v', functions)};`).join('\n')}
    default: return false;
  }`);
    case 'record': return call(functions, variable, `
  if (typeof v !== "object" || v === null || Array.isArray(v)) return false;
${fieldTests(outline.fields, functions)}${outline.isOpen ? '' : '\n  for (const key in v) known -= 1;'}
  return ${outline.isOpen ? 'true' : 'known === 0'};`);
  }
}

function call(functions: string[], variable: string, body: string): string {
  const name = `f${functions.length}`;
  functions.push(`function ${name}(v) {${body}\n}`);
  return `${name}(${variable})`;
}

function fieldTests(fields: readonly OutlineField[], functions: string[]): string {
  const required = fields.filter(({ isOptional }) => !isOptional).length;
  const lines = fields.map(({ name, outline, isOptional }, index) => {
    const field = `a${index}`;
    const read = `const ${field} = v[${JSON.stringify(name)}];`;
    const test = `if (!(${expression(outline, field, functions)})) return false;`;
    return isOptional ? `  ${read} if (${field} !== undefined) { ${test} known += 1; }` : `  ${read} ${test}`;
  });
  return [`  let known = ${required};`, ...lines].join('\n');
}
