const patterns: readonly (readonly [RegExp, string])[] = [
  [/\beyJ[\w-]{8,}\.[\w-]+\.[\w-]*/g, '[token]'],
  [/-----BEGIN [\s\S]*?(?:-----END [A-Z0-9 ]+-----|$)/g, '[key]'],
  [/\b(https?:\/\/[^\s?#"']+)[?#][^\s"']*/g, '$1?[signed]'],
];
const longest = 500;

/** Foreign text made fit to stand in a message of ours: without keys, tokens and signed URLs, and not too long. */
export function scrub(text: string, secrets: readonly string[]): string {
  let clean = text;
  for (const secret of secrets) if (secret.length > 0) clean = clean.split(secret).join('[secret]');
  for (const [pattern, replacement] of patterns) clean = clean.replace(pattern, replacement);
  clean = clean.replace(/\p{Cc}+/gu, ' ').trim();
  return clean.length > longest ? `${clean.slice(0, longest)}…` : clean;
}
