const patterns: readonly (readonly [RegExp, string])[] = [
  [/\beyJ[\w-]{8,}\.[\w-]+\.[\w-]*/g, '[token]'],
  [/-----BEGIN [\s\S]*?(?:-----END [A-Z0-9 ]+-----|$)/g, '[key]'],
  [/\b(https?:\/\/[^\s?#"']+)[?#][^\s"']*/g, '$1?[signed]'],
];
const longest = 500;

/** Makes foreign text fit to stand in a message of ours: without these secrets, keys, tokens and signed URLs, and not too long. */
export function scrubber(secrets: readonly string[]): (text: string) => string {
  return (text) => {
    let clean = text;
    for (const secret of secrets) if (secret.length > 0) clean = clean.split(secret).join('[secret]');
    for (const [pattern, replacement] of patterns) clean = clean.replace(pattern, replacement);
    clean = clean.replace(/\p{Cc}+/gu, ' ').trim();
    return clean.length > longest ? `${clean.slice(0, longest)}…` : clean;
  };
}
