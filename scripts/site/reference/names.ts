import type { DeclarationReflection, ProjectReflection } from 'typedoc';

/** The targets of names in the text of a page: exports by their name, and calls such as `payments.create`. */
export type Names<Target> = ReadonlyMap<string, Target>;

/** The names that pages may use, of all modules; the first module that has a name keeps it. */
export function namesOf(project: ProjectReflection): Names<DeclarationReflection> {
  const names = new Map<string, DeclarationReflection>();
  const add = (name: string, reflection: DeclarationReflection): void => {
    if (!names.has(name)) names.set(name, reflection);
  };
  const exported = (project.children ?? []).flatMap((module) => module.children ?? []);
  for (const reflection of exported) add(reflection.name, reflection);
  for (const property of names.get('Corridor')?.children ?? []) {
    add(`corridor.${property.name}`, property);
    if (property.type?.type !== 'reference') continue;
    for (const method of methodsOf(names, property.type.name)) {
      add(`${property.name}.${method.name}`, method);
      add(`corridor.${property.name}.${method.name}`, method);
    }
  }
  return names;
}

/** The methods of a class and of the classes that it extends. */
function methodsOf(names: Names<DeclarationReflection>, className: string): readonly DeclarationReflection[] {
  const found = names.get(className);
  const bases = (found?.extendedTypes ?? []).flatMap((type) => (type.type === 'reference' ? [type.name] : []));
  return [...(found?.children ?? []), ...bases.flatMap((base) => methodsOf(names, base))];
}
