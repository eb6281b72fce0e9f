import { describe, expect, it } from 'vitest';
import { QuipuError } from '../../clients/typescript/src/error.ts';
import { problemOf, requireData } from '../../dashboard/api/client.ts';
import type { Texts } from '../../dashboard/texts/texts.ts';
import { problemText } from '../../dashboard/ui/problem.ts';
import { textsIn } from '../support/dashboard-texts.ts';

/** Returns what a person reads of a failure in a language. */
const shown = (error: unknown, language: 'en' | 'es' | 'pt'): string =>
  problemText(error, Object.assign(textsIn(language), { language }) as Texts);

function failureOf(work: () => void): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  return undefined;
}

describe('the text of a failure that the page finds itself', () => {
  it.each([
    ['no answer', new QuipuError('NETWORK', 'fetch failed'), 'unreachable'],
    ['an answer of something else', new QuipuError('INVALID_ANSWER', 'The answer is not of Quipu.'), 'unreachable'],
    ['an answer that is too large', new QuipuError('ANSWER_TOO_LARGE', 'The answer is too large.'), 'tooLargeAnswer'],
    ['an answer without data', failureOf(() => requireData({ data: null, errors: [] })), 'emptyAnswer'],
    ['a file that is gone', new QuipuError('UNREADABLE_FILE', 'a.csv cannot be read any more.'), 'unreadableFile'],
  ])('is in the language of the page: %s', (_, error, key) => {
    for (const language of ['es', 'pt'] as const) expect(shown(error, language)).toBe(textsIn(language)(key));
  });

  it('names an error of the page as such', () => {
    expect(shown(problemOf(new TypeError('x is null')), 'es')).toBe('la página tiene un error: TypeError: x is null');
  });

  it('is the sentence of the service for its own refusals', () => {
    expect(shown(new QuipuError('INVALID_INPUT', 'El RUT no es válido.'), 'es')).toBe('El RUT no es válido.');
  });
});

describe('the text of a failure with the code of a source or a module', () => {
  const failure = (message: string, details: { readonly source?: string; readonly module?: string }) =>
    new QuipuError('SOURCE_UNAVAILABLE', message, { details });

  it('has its name in place of the code of an English sentence', () => {
    expect(shown(failure('Source receita_federal cannot be read.', { source: 'RECEITA_FEDERAL' }), 'en')).toBe(
      'Source Receita Federal registry (CNPJ) cannot be read.',
    );
    expect(shown(failure('Module tax_health is not enabled.', { module: 'TAX_HEALTH' }), 'en')).toBe('Module Tax standing is not enabled.');
  });

  it('keeps a word of an English sentence that is no code there', () => {
    expect(shown(failure('An account has at most 100 active monitors.', { module: 'MONITOR' }), 'en')).toBe(
      'An account has at most 100 active monitors.',
    );
  });

  it('is the sentence of the service in Spanish and Portuguese, which has the name already', () => {
    const sentence = 'La fuente «CEIS (inhabilitadas para contratar con el Estado)» no se puede leer.';
    expect(shown(failure(sentence, { source: 'CEIS' }), 'es')).toBe(sentence);
  });
});
