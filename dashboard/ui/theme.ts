const STORED = 'quipu.theme';

export function restoreTheme(): void {
  const stored = localStorage.getItem(STORED);
  if (stored) document.documentElement.dataset.theme = stored;
}

export function setTheme(theme: string): void {
  localStorage.setItem(STORED, theme);
  document.documentElement.dataset.theme = theme;
}
