import { useState } from 'react';
import { LANGUAGES, type Language, setLanguage, useTexts } from '../texts/texts.ts';
import { setTheme } from './theme.ts';

const THEMES = ['system', 'light', 'dark'] as const;
const NAMES: Readonly<Record<Language, string>> = { en: 'English', es: 'Español', pt: 'Português' };

/** Choice of language and colours. */
export function Preferences() {
  const texts = useTexts();
  const [theme, choose] = useState(document.documentElement.dataset.theme ?? 'system');
  return (
    <>
      <select aria-label={texts('language')} value={texts.language} onChange={({ target }) => setLanguage(target.value as Language)}>
        {LANGUAGES.map((one) => (
          <option key={one} value={one} lang={one}>
            {NAMES[one]}
          </option>
        ))}
      </select>
      <select
        aria-label={texts('theme')}
        value={theme}
        onChange={({ target }) => {
          choose(target.value);
          setTheme(target.value);
        }}
      >
        {THEMES.map((one) => (
          <option key={one} value={one}>
            {`${texts('theme')}: ${texts(`theme.${one}`)}`}
          </option>
        ))}
      </select>
    </>
  );
}

export function Logo() {
  return <img src="/dashboard/favicon.svg" width="24" height="24" alt="" />;
}
