import { createStore } from '../control/store.js';

const key = 'corridor-mock-theme';
const system = matchMedia('(prefers-color-scheme: dark)');

/** The shown theme. */
export const theme = createStore<'light' | 'dark'>('light');

function stored(): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null; // The browser may block storage.
  }
}

function update(): void {
  const choice = stored();
  theme.set(choice === 'dark' || (choice !== 'light' && system.matches) ? 'dark' : 'light');
  document.documentElement.dataset['theme'] = theme.get();
}

/** Follows the theme of the system until the user selects another. */
export function applyTheme(): void {
  update();
  system.addEventListener('change', update);
}

/** Changes to the other theme and remembers it; the theme of the system is not remembered. */
export function toggleTheme(): void {
  const next = theme.get() === 'dark' ? 'light' : 'dark';
  try {
    if ((next === 'dark') === system.matches) localStorage.removeItem(key);
    else localStorage.setItem(key, next);
  } catch {
    // The browser may block storage: the theme then lasts until the page is closed.
  }
  theme.set(next);
  document.documentElement.dataset['theme'] = next;
}
