type Environment = Readonly<Record<string, string | undefined>>;

/** Shorter texts are no secrets: masking them would garble everything else. */
const shortest = 6;
const shortestKeyLine = 24;
/** More tokens than are ever under way at once. */
const tokensKept = 16;

/** Knows what must never be printed, and masks it in whatever is: the last line of defence, behind a client that shows none of it. */
export class Secrets {
  readonly #fixed = new Set<string>();
  readonly #tokens: string[] = [];

  /** Hides the credentials of an environment: the API key, and every line of the private key. */
  hideCredentials({ CORRIDOR_API_KEY: apiKey = '', CORRIDOR_PRIVATE_KEY: privateKey = '' }: Environment): void {
    const key = apiKey.trim();
    if (key.length >= shortest) for (const form of [key, escaped(key)]) this.#fixed.add(form);
    for (const line of privateKey.split(/\\n|\\r|[\s"']/)) if (line.length >= shortestKeyLine && !line.startsWith('-----')) this.#fixed.add(line);
  }

  /** Hides what an Authorization header carried. */
  hideToken(authorization: string | null): void {
    const token = authorization?.replace(/^Bearer /, '') ?? '';
    if (token.length < shortest) return;
    this.#tokens.push(token);
    if (this.#tokens.length > tokensKept) this.#tokens.shift();
  }

  /** Lets a text be printed after all: the key of a mock is made to be read. */
  reveal(text: string): void {
    this.#fixed.delete(text);
    this.#fixed.delete(escaped(text));
  }

  /** The text without secrets. */
  mask(text: string): string {
    let clean = text;
    for (const secret of [...this.#fixed, ...this.#tokens]) clean = clean.replaceAll(secret, '[secret]');
    return clean;
  }
}

// As it stands in JSON.
function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}
