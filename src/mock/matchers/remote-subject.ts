/** The method of a remote platform that loads what the matchers read. Identified across copies of the package. */
export const loadSubject = Symbol.for('corridor-sdk.mock-subject');

/** A value whose state is in another process. */
interface RemoteSubject {
  readonly [loadSubject]: () => Promise<unknown>;
}

function isRemote(value: unknown): value is RemoteSubject {
  return typeof value === 'object' && value !== null && loadSubject in value;
}

type Matcher = (this: unknown, subject: unknown, ...args: readonly unknown[]) => unknown;

/**
 * Returns the same matchers, which also accept a remote platform. For a remote platform they return a promise, as test
 * runners allow: `await expect(remote).toHaveReceived('payments.create')`.
 */
export function withRemoteSubjects<Matchers extends object>(matchers: Matchers): Matchers {
  const wrapped = Object.entries(matchers).map(([name, matcher]: [string, Matcher]) => [
    name,
    function (this: unknown, subject: unknown, ...args: readonly unknown[]): unknown {
      if (!isRemote(subject)) return matcher.call(this, subject, ...args);
      return subject[loadSubject]().then((loaded) => matcher.call(this, loaded, ...args));
    },
  ]);
  return Object.fromEntries(wrapped) as Matchers;
}
