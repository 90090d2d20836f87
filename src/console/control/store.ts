import { useEffect, useState } from 'preact/hooks';

/** A value that components follow. */
export interface Store<T> {
  get(): T;
  set(value: T): void;
  subscribe(listener: () => void): () => void;
}

/** Creates a store. */
export function createStore<T>(initial: T): Store<T> {
  let value = initial;
  const listeners = new Set<() => void>();
  return {
    get: () => value,
    set: (next) => {
      if (Object.is(next, value)) return;
      value = next;
      for (const listener of listeners) listener();
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/** Returns the value of a store, and renders the component again when it changes. */
export function useStore<T>(store: Store<T>): T {
  const [, render] = useState<unknown>(store.get());
  useEffect(() => {
    const update = (): void => render(store.get());
    // Effects run after the page is painted: the value may have changed since.
    update();
    return store.subscribe(update);
  }, [store]);
  return store.get();
}
