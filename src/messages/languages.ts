/** Languages of the messages, in the order of the rows. English is that of a request without a preference. */
export const LANGUAGES = ['en', 'es', 'pt'] as const;
export type Language = (typeof LANGUAGES)[number];

/**
 * The texts of a message or a name: English, Spanish, Portuguese. In a message `{name}` is a parameter; `{name|company|companies}` is the word
 * for the number `name`, by the plural rules of the language, for one and for others.
 */
export type Row = readonly [en: string, es: string, pt: string];

/** Returns the text of a row in a language. */
export const textIn = (row: Row, language: Language): string => row[LANGUAGES.indexOf(language)] ?? row[0];
