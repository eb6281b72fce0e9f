import { type ReactNode, StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { language } from '../texts/texts.ts';
import { keepFocus } from './keep-focus.ts';
import { restoreTheme } from './theme.ts';
import './tokens.css';
import './page.css';
import './layout.css';
import './desk.css';
import './phone.css';

/** Shows a page in the chosen language and colours. */
export function mount(page: ReactNode): void {
  const place = document.getElementById('page');
  if (!place) return;
  restoreTheme();
  keepFocus();
  document.documentElement.lang = language.get();
  createRoot(place).render(<StrictMode>{page}</StrictMode>);
}
