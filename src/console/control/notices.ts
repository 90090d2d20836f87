import { createStore } from './store.js';

/** A message about the last change. */
export interface Notice {
  readonly kind: 'success' | 'failure';
  readonly message: string;
}

/** The message that is shown. */
export const notice = createStore<Notice | undefined>(undefined);

/** Shows a message for a while; errors twice as long. */
export function notify(kind: Notice['kind'], message: string): void {
  const shown = { kind, message };
  notice.set(shown);
  const hide = (): void => {
    if (notice.get() === shown) notice.set(undefined);
  };
  setTimeout(hide, kind === 'success' ? 4_000 : 8_000);
}

/** Runs an action, and shows the message of its error. */
export async function attempt(action: () => unknown): Promise<void> {
  try {
    await action();
  } catch (error) {
    notify('failure', (error as Error).message);
  }
}
