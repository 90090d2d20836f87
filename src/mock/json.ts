/** Whether a value is an object with fields. */
export const isObject = (value: unknown): value is { readonly [field: string]: unknown } => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether a value is a list of what something says. */
export const isList = (value: unknown, isItem: (item: unknown) => boolean): value is readonly unknown[] => Array.isArray(value) && (value as readonly unknown[]).every(isItem);

/** Whether a value is a whole number, 0 or more. */
export const isCount = (value: unknown): value is number => typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;

/** Whether a value can be a point or a span of time. */
export const isTime = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);

/** Whether a value is a text. */
export const isText = (value: unknown): value is string => typeof value === 'string';
