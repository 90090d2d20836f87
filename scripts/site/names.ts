import type { DeclarationReflection, ProjectReflection } from 'typedoc';

/** What a name in the text of a page stands for: exported things by their name, and calls such as `payments.create`. */
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
    for (const method of names.get(property.type.name)?.children ?? []) {
      add(`${property.name}.${method.name}`, method);
      add(`corridor.${property.name}.${method.name}`, method);
    }
  }
  return names;
}

/** Makes links of the code in a page that names something: `PaymentCreate`, `payments.create`, `corridor.payments.create(payment)`. */
export function linkNames<Target>(html: string, names: Names<Target>, urlOf: (target: Target) => string): string {
  const [head = '', ...rest] = html.split('<div class="tsd-panel tsd-typography">');
  const linked = rest.map((part) => part.replaceAll(/<pre>[^]*?<\/pre>|<a [^]*?<\/a>|<h\d[^]*?<\/h\d>|<code>([^<]+)<\/code>/g, (whole, code?: string) => {
    const name = code?.replace(/\(.*\)$/, '').replace(/^(?:readonly |PageRequest&lt;)/, '').replace(/(?:\[\]|&gt;)$/, '');
    // In tables, paths, calls and long names may break where a reader would break them.
    const shown = code?.replaceAll(/(?<=[./(])(?=\w|\{)|(?=&lt;)|(?<=\w{5}[a-z])(?=[A-Z][a-z]{3})/g, '<wbr>');
    const element = shown === undefined ? whole : `<code>${shown}</code>`;
    const found = name === undefined ? undefined : names.get(name);
    return found === undefined ? element : `<a href="${urlOf(found)}">${element}</a>`;
  }));
  return [head, ...linked].join('<div class="tsd-panel tsd-typography">');
}

/** The calls in a page's code that no link leads from, such as `corridor.payments.creat(payment)`, which names nothing. */
export function unlinkedCalls(html: string): string[] {
  const linked = html.replaceAll(/<pre>[^]*?<\/pre>|<a [^]*?<\/a>/g, '').replaceAll('<wbr>', '');
  return [...linked.matchAll(/<code>(corridor\.\w+\.\w+)\(/g)].map(([, call = '']) => call);
}
