/** The language of texts that the API writes for people, by the language of the page. */
export const API_LANGUAGES = { en: 'EN', es: 'ES', pt: 'PT' } as const;
