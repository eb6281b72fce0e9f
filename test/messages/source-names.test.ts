import { describe, expect, it } from 'vitest';
import { SOURCES, type SourceName } from '../../src/domain/catalogue.ts';
import { SOURCE_GROUPS, sourceGroupOf } from '../../src/domain/source-groups.ts';
import { LANGUAGES } from '../../src/messages/languages.ts';
import { shortSourceNameIn, sourceNameIn, withSourceNames } from '../../src/messages/source-names.ts';
import { sourceMessages } from '../../src/messages/sources.ts';

const CODES = Object.keys(SOURCES) as readonly SourceName[];

describe('names of sources and lists', () => {
  it.each(LANGUAGES)('are there in %s for every code, of words, and each for one source only', (language) => {
    const names = CODES.map((code) => sourceNameIn(code, language));
    for (const name of names) {
      expect(name).toMatch(/\p{L}{3,} .*\p{L}{2,}/u);
      expect(name).not.toContain('_');
    }
    expect(new Set(names).size).toBe(CODES.length);
  });

  it('are found by the codes of REST and of GraphQL', () => {
    expect(sourceNameIn('receita_federal', 'es')).toBe('Registro de la Receita Federal (CNPJ)');
    expect(sourceNameIn('RECEITA_FEDERAL', 'es')).toBe('Registro de la Receita Federal (CNPJ)');
  });

  it('keep the proper names of Brazilian lists, with words beside them', () => {
    for (const language of LANGUAGES)
      for (const code of ['CEIS', 'CNEP', 'CEPIM']) expect(sourceNameIn(code, language)).toMatch(new RegExp(`^${code} \\(.+\\)$`));
  });

  it('are the code for a source of a newer release', () => {
    expect(sourceNameIn('NEW_LIST', 'pt')).toBe('NEW_LIST');
    expect(sourceNameIn('constructor', 'pt')).toBe('constructor');
    expect(sourceGroupOf('NEW_LIST')).toBe('INTERNET');
  });

  it('are short without the words in brackets', () => {
    expect(shortSourceNameIn('CEIS', 'pt')).toBe('CEIS');
    expect(shortSourceNameIn('UN_CONSOLIDATED', 'pt')).toBe('Lista consolidada da ONU');
  });

  it('replace the codes of an English sentence, and no other words in capitals', () => {
    expect(withSourceNames('1 match on OFAC_SDN (ACME CEISA LTDA), CEIS', 'en')).toBe(
      '1 match on OFAC SDN list (US) (ACME CEISA LTDA), CEIS (barred from public contracts)',
    );
    expect(withSourceNames('', 'en')).toBe('');
  });

  it.each(['es', 'pt'] as const)('are in a sentence in %s already, also if one begins with the code', (language) => {
    const sentence = sourceMessages.unavailable({ source: 'CEIS' }).in(language);
    expect(withSourceNames(sentence, language)).toBe(sentence);
  });

  it('are in groups by country, with the international lists in one of their own', () => {
    for (const code of CODES) expect(SOURCE_GROUPS).toContain(sourceGroupOf(code));
    expect(['CEIS', 'sii', 'RUES', 'UN_CONSOLIDATED', 'dns'].map(sourceGroupOf)).toEqual(['BR', 'CL', 'CO', 'INTERNATIONAL', 'INTERNET']);
  });
});
