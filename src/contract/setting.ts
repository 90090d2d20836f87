/** Removes what env files and secret stores add around a value: white space, a byte order mark and a pair of quotes. */
export function unwrapSetting(text: string): string {
  return text
    .trim()
    .replace(/^(["'`])(.*)\1$/s, '$2')
    .trim();
}

// ${X}, {{ X }}, %X%, <X>, $(X), $X_Y, and the text that JavaScript makes of a variable that is not set.
const placeholder =
  /\$\{[^{}]+\}|\{\{[^{}]+\}\}|%[A-Z_]{3,}%|^(?:%\w+%|(?:https?:\/\/)?<[^<>]+>.*|\$\([^()]+\)|\$[A-Z]+(?:_[A-Z\d]+)+|undefined|null)$/;

/** Returns the mistake in a value of an env file, and its fix, without the value; undefined if none is known. */
export function settingIssue(value: unknown, mayBeQuoted = false): string | undefined {
  if (typeof value !== 'string') return undefined;
  const text = unwrapSetting(value);
  if (placeholder.test(text))
    return 'is a variable that was not expanded, such as ${NAME}, %NAME% or <NAME>. Set its value instead';
  return mayBeQuoted || text === value.trim() ? undefined : 'is in quotes. Remove them: docker --env-file keeps quotes';
}
