import type { Node } from './document.js';

/** A mistake that can be made in a document and undone. */
export interface Mistake {
  readonly what: string;
  make(): void;
  undo(): void;
}

/** Everything that can be wrong with one object of a schema: a field forgotten, a type, a value, a limit changed. */
export function mistakesIn(name: string, node: Node): Mistake[] {
  const open = node as Record<string, unknown>;
  const replace = (key: string, value: unknown, what: string): Mistake => {
    const before = open[key];
    return {
      what: `${name}: ${what}`,
      make: () => {
        open[key] = value;
      },
      undo: () => {
        open[key] = before;
      },
    };
  };
  const without = (list: unknown, item: unknown): unknown[] => (list as unknown[]).filter((each) => each !== item);
  // A field may be called as a keyword is.
  const says = (key: string, type: string): boolean => typeof node[key] === type;
  return [
    ...(says('type', 'string')
      ? [replace('type', node['type'] === 'boolean' ? 'string' : 'boolean', `type ${String(node['type'])}`)]
      : []),
    ...(Array.isArray(node['type']) ? [replace('type', node['type'][0], `no null`)] : []),
    ...(Array.isArray(node['required'])
      ? node['required'].map((field) =>
          replace('required', without(node['required'], field), `${String(field)} not required`),
        )
      : []),
    ...['enum', 'x-extensible-enum'].flatMap((key) =>
      Array.isArray(node[key])
        ? node[key].map((value) => replace(key, without(node[key], value), `no ${String(value)}`))
        : [],
    ),
    ...['minLength', 'maxLength', 'minItems', 'minimum', 'maximum'].flatMap((key) =>
      says(key, 'number') ? [replace(key, Number(node[key]) + 1, `${key} one more`)] : [],
    ),
    ...['const', 'pattern'].flatMap((key) => (says(key, 'string') ? [replace(key, 'other', `another ${key}`)] : [])),
    ...(Array.isArray(node['anyOf']) ? [replace('anyOf', [node['anyOf'][0]], 'no null')] : []),
    ...(Array.isArray(node['oneOf'])
      ? node['oneOf'].map((variant, index) => replace('oneOf', without(node['oneOf'], variant), `no variant ${index}`))
      : []),
    ...fieldsOf(node).map((field) =>
      replace(
        'properties',
        Object.fromEntries(Object.entries(node['properties'] as Node).filter(([key]) => key !== field)),
        `no ${field}`,
      ),
    ),
  ];
}

function fieldsOf(node: Node): string[] {
  return typeof node['properties'] === 'object' && node['properties'] !== null && node['type'] === 'object'
    ? Object.keys(node['properties'])
    : [];
}
