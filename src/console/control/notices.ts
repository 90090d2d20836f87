import { createStore } from './store.js';

/** A message about the last change, which disappears after a while. */
export interface Notice {
  readonly id: number;
  readonly kind: 'success' | 'failure';
  readonly message: string;
}

/** The messages that are shown. */
export const notices = createStore<readonly Notice[]>([]);

let lastId = 0;

/** Shows a message for a while; errors twice as long. */
export function notify(kind: Notice['kind'], message: string): void {
  lastId += 1;
  const id = lastId;
  notices.set([...notices.get().slice(-2), { id, kind, message }]);
  setTimeout(() => closeNotice(id), kind === 'success' ? 4_000 : 8_000);
}

/** Closes a message. */
export function closeNotice(id: number): void {
  notices.set(notices.get().filter((notice) => notice.id !== id));
}
