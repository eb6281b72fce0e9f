type Values = Readonly<Record<string, string | number>>;

/**
 * Inserts values into a text: `{n}` is a value, with numbers in the format of the language; `{n|company|companies}` is the word for the
 * number `n` by the plural rules of the language, for one and for others.
 */
export const fill = (text: string, values: Values, language: string): string =>
  text.replaceAll(/\{(\w+)(?:\|([^|}]*)\|([^|}]*))?\}/g, (_, name: string, one?: string, other?: string) => {
    const value = values[name] ?? '';
    if (one !== undefined && other !== undefined) return isOne(value, language) ? one : other;
    return typeof value === 'number' ? value.toLocaleString(language) : value;
  });

const isOne = (value: string | number, language: string): boolean => new Intl.PluralRules(language).select(Number(value)) === 'one';
