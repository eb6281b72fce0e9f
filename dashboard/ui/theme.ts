/** Key of the local storage: `system`, `light` or `dark`. */
const STORAGE_KEY = 'quipu.theme';

/** Applies the stored theme; without one the page follows the system. */
export function restoreTheme(): void {
  const stored = localStorage.getItem(STORAGE_KEY);
  if (stored) document.documentElement.dataset.theme = stored;
}

/** Applies a theme and stores it. */
export function setTheme(theme: string): void {
  localStorage.setItem(STORAGE_KEY, theme);
  document.documentElement.dataset.theme = theme;
}
