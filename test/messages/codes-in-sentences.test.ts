import { globSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { MODULES, SOURCES, type SourceName } from '../../src/domain/catalogue.ts';
import { AppError, sourceUnavailable } from '../../src/domain/errors.ts';
import { formatGraphqlError } from '../../src/graphql/errors.ts';
import { companyMessages } from '../../src/messages/companies.ts';
import { LANGUAGES, type Language } from '../../src/messages/languages.ts';
import { allRows, messageOf } from '../../src/messages/message.ts';
import { moduleNameIn } from '../../src/messages/module-names.ts';
import { requestMessages } from '../../src/messages/requests.ts';
import { screeningMessages } from '../../src/messages/screenings.ts';
import { sourceNameIn } from '../../src/messages/source-names.ts';
import { problemOf } from '../../src/rest/problem.ts';

for (const file of globSync('src/messages/*.ts')) await import(/* @vite-ignore */ path.resolve(file));
const rows = [...allRows()].map(([code, [english]]) => ({
  code,
  parameters: [...new Set([...english.matchAll(/\{(\w+)/g)].map(([, name = '']) => name))],
}));

const SOURCE_CODES = Object.keys(SOURCES) as readonly SourceName[];
const OTHERS = ['es', 'pt'] as const;

/** Parameters that are codes, with their codes and names. */
const CODED: Readonly<Record<string, readonly [codes: readonly string[], nameIn: (code: string, language: Language) => string]>> = {
  source: [SOURCE_CODES, sourceNameIn],
  list: [SOURCE_CODES, sourceNameIn],
  module: [MODULES, moduleNameIn],
};

/**
 * Codes that are words of a language, too: a monitor is a thing of the API, and many modules are called by an English noun. A sentence may
 * have these words.
 */
const WORDS: Readonly<Record<Language, readonly string[]>> = {
  en: [
    'compliance',
    'debarment',
    'enrich',
    'labor',
    'monitor',
    'owners',
    'sanctions',
    'screening',
    'tech',
    'tenders',
    'validate',
    'website',
  ],
  es: ['monitor'],
  pt: ['monitor'],
};

/** Codes as REST writes them, and those with an underscore as GraphQL writes them, too: `PNCP` in capitals is a name that people read. */
const CODES = [...SOURCE_CODES, ...MODULES].flatMap((code) => (code.includes('_') ? [code, code.toUpperCase()] : [code]));

/** Returns the codes that stand in a sentence as words. A code that its own name has, such as CEIS, is a name. */
function codesIn(sentence: string, language: Language): readonly string[] {
  const isName = (code: string) => sourceNameIn(code, language) !== code && sourceNameIn(code, language).includes(code);
  const codes = CODES.filter((code) => !WORDS[language].includes(code) && !isName(code));
  return codes.filter((code) => new RegExp(`(?<![\\p{L}\\d_])${code}(?![\\p{L}\\d_])`, 'u').test(sentence));
}

/** Writes the message of a row in a language, with `7` for the parameters that are not given. */
const written = ({ code, parameters }: (typeof rows)[number], given: Readonly<Record<string, string>>, language: Language): string =>
  messageOf(code, { ...Object.fromEntries(parameters.map((name) => [name, '7'])), ...given })?.in(language) ?? '';

describe('a sentence of the catalogue', () => {
  it.each(rows)('$code has no code of a source, a list or a module in its own words', (row) => {
    expect(LANGUAGES.map((language) => codesIn(written(row, {}, language), language))).toEqual([[], [], []]);
  });

  it.each(rows.flatMap((row) => row.parameters.filter((name) => name in CODED).map((name) => ({ ...row, name }))))(
    '$code has the name for each code of its $name in Spanish and Portuguese, and the code in English',
    ({ name, ...row }) => {
      const [codes, nameIn] = CODED[name]!;
      for (const code of codes) {
        for (const language of OTHERS) {
          const sentence = written(row, { [name]: code }, language);
          expect(sentence).toContain(nameIn(code, language));
          expect([sentence, codesIn(sentence, language)]).toEqual([sentence, []]);
        }
        expect(written(row, { [name]: code }, 'en')).toMatch(new RegExp(`(?<!\\w)${code}(?!\\w)`));
      }
    },
  );

  it('has such parameters: failures of sources, lists of reasons, refusals of modules', () => {
    const coded = rows.filter(({ parameters }) => parameters.some((name) => name in CODED)).map(({ code }) => code);
    for (const code of ['sources.unavailable', 'sources.nameAlike', 'reasons.matches', 'requests.moduleNotEnabled', 'requests.moduleRate'])
      expect(coded).toContain(code);
  });

  // The caller has to write one of these codes, or selects a field by this name: a name of the page would not help.
  it.each([
    ['the modules that a request may give', screeningMessages.giveModules({ modules: 'kyb, tax_health' }), 'kyb, tax_health'],
    ['the modules that a file may name', screeningMessages.unknownModules({ modules: 'kyb, tax_health' }), 'kyb, tax_health'],
    ['the field that a query selects', companyMessages.todayOnly({ field: 'kyb' }), 'kyb'],
  ])('has the codes of %s in every language', (_, message, codes) => {
    for (const language of LANGUAGES) expect(message.in(language)).toContain(codes);
  });
});

describe('an error with the code of a source or a module', () => {
  const failed = sourceUnavailable('receita_federal', 'down');
  const refused = new AppError('MODULE_NOT_ENABLED', requestMessages.moduleNotEnabled({ module: 'tax_health' }), { module: 'tax_health' });
  const graphqlError = (error: AppError, language: Language) => formatGraphqlError({ message: error.message }, error, language);

  it.each([
    ['es', 'La fuente «Registro de la Receita Federal (CNPJ)» no se puede leer en este momento; inténtelo más tarde.'],
    ['pt', 'A fonte “Cadastro da Receita Federal (CNPJ)” não pode ser lida agora; tente mais tarde.'],
    ['en', 'Source receita_federal cannot be read right now; try again later.'],
  ] as const)('has the name of the source in its sentence in %s, and in GraphQL the code in its field', (language, sentence) => {
    expect(problemOf(failed, { requestId: '1', language })).toMatchObject({ code: 'source_unavailable', detail: sentence });
    expect(graphqlError(failed, language)).toMatchObject({
      message: sentence,
      extensions: { code: 'SOURCE_UNAVAILABLE', source: 'RECEITA_FEDERAL' },
    });
  });

  it.each([
    ['es', 'El módulo «Situación tributaria» no está habilitado en esta clave de API.'],
    ['pt', 'O módulo “Situação tributária” não está habilitado nesta chave de API.'],
    ['en', 'Module tax_health is not enabled on this API key.'],
  ] as const)('has the name of the module in its sentence in %s, and in GraphQL the code in its field', (language, sentence) => {
    expect(problemOf(refused, { requestId: '1', language })).toMatchObject({ code: 'module_not_enabled', detail: sentence });
    expect(graphqlError(refused, language)).toMatchObject({
      message: sentence,
      extensions: { code: 'MODULE_NOT_ENABLED', module: 'TAX_HEALTH' },
    });
  });
});
