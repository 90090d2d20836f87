/** Describes a value on the wire in terms that the specification, the schemas and the OpenAPI document have in common. */
export interface Description {
  /** Its base type: `string`, `integer`, `boolean`, `array`, `object`, `variants by …`, `not shown`. */
  readonly type: string;
  /** The values it may have, if they are listed. */
  readonly values?: readonly string[];
  /** Further rules, such as `at least 1 item`. */
  readonly rules?: readonly string[];
  readonly nullable?: boolean;
  readonly optional?: boolean;
  readonly fields?: Fields;
  readonly element?: Description;
  readonly variants?: ReadonlyMap<string, Description>;
}

export type Fields = ReadonlyMap<string, Description>;

/** One endpoint, described. */
export interface EndpointDescription {
  readonly number: number;
  readonly method: string;
  readonly path: string;
  readonly request?: Description;
  readonly query?: Description;
  readonly response: Description;
}

/**
 * The description of each path of the wire: `1 request.memo` is `string, at most 64 characters, or null, optional`.
 */
export type Facts = ReadonlyMap<string, string>;

/** Every single statement of the endpoints, by its place. */
export function factsOf(endpoints: Readonly<Record<string, EndpointDescription>>): Facts {
  const facts = new Map<string, string>();
  const state = (place: string, says: string): void => {
    if (facts.has(place)) throw new Error(`${place} is described twice`);
    facts.set(place, says);
  };
  const visit = (place: string, described: Description): void => {
    state(place, inWords(described));
    described.fields?.forEach((field, name) => visit(`${place}.${name}`, field));
    described.variants?.forEach((variant, name) => visit(`${place}<${name}>`, variant));
    if (described.element !== undefined) visit(`${place}[]`, described.element);
  };
  for (const { number, method, path, request, query, response } of Object.values(endpoints)) {
    state(String(number), `${method} ${path}`);
    if (request !== undefined) visit(`${number} request`, request);
    if (query !== undefined) visit(`${number} query`, query);
    visit(`${number} response`, response);
  }
  return facts;
}

function inWords({ type, values, rules = [], nullable, optional }: Description): string {
  return [
    type,
    ...(values === undefined ? [] : [`one of ${values.toSorted().join(' | ')}`]),
    ...rules.toSorted(),
    ...(nullable === true ? ['or null'] : []),
    ...(optional === true ? ['optional'] : []),
  ].join(', ');
}

/** Returns the differences of two lists of facts, one line each. */
export function differences(specified: Facts, contract: Facts): string[] {
  const places = new Set([...specified.keys(), ...contract.keys()]);
  return [...places].flatMap((place) => {
    const [left, right] = [specified.get(place), contract.get(place)];
    if (left === right) return [];
    return [`${place}: specification ${left ?? '(nothing)'}; contract ${right ?? '(nothing)'}`];
  });
}
