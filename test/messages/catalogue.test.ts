import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readFailure, writeFailure } from '../../src/cache/shared-entry.ts';
import { RETRYABLE, sourceUnavailable } from '../../src/domain/errors.ts';
import { allRows, defineMessages, grouped, joined, LANGUAGES, messageOf, readMessage } from '../../src/messages/message.ts';
import { reasonMessages } from '../../src/messages/reasons.ts';
import { titleMessages } from '../../src/messages/titles.ts';
import { englishIn } from '../support/english.ts';

const tables = globSync('src/messages/*.ts');
for (const file of tables) await import(/* @vite-ignore */ path.resolve(file));
const rows = [...allRows()].map(([code, [en, es, pt]]) => ({ code, en, es, pt }));

/** Texts that are the same in several languages: words of the technology, and rows of parameters alone. */
const SAME = ['counted.aliases', 'counted.tokens', 'reasons.laborRecord', 'counted.variables'];

const parametersOf = (text: string): readonly string[] =>
  [...new Set([...text.matchAll(/\{(\w+)/g)].map(([, name = '']) => name))].toSorted();

describe('the catalogue of messages', () => {
  it('has the tables of every subject', () => {
    expect(tables.length).toBeGreaterThan(10);
    expect(rows.length).toBeGreaterThan(200);
  });

  it.each(rows)('$code has its parameters in every language', ({ en, es, pt }) => {
    expect([parametersOf(es), parametersOf(pt)]).toEqual([parametersOf(en), parametersOf(en)]);
  });

  it.each(rows.filter(({ code }) => !SAME.includes(code)))('$code is translated', ({ en, es, pt }) => {
    expect([es === en, pt === en]).toEqual([false, false]);
  });

  it.each(rows)('$code has no English word in Spanish and Portuguese', ({ es, pt }) => {
    expect([englishIn(es), englishIn(pt)]).toEqual([[], []]);
  });

  it.each(rows)('$code is written in every language with its parameters', ({ code, en, es, pt }) => {
    for (const n of [0, 1, 2]) {
      const message = messageOf(code, Object.fromEntries(parametersOf(en).map((name) => [name, `${n}`])));
      const written = LANGUAGES.map((language) => message?.in(language) ?? '');
      expect(written.filter((text) => text === '' || /[{}|]|undefined|NaN/.test(text))).toEqual([]);
      if (![en, es, pt].some((text) => text.includes('{'))) expect(written).toEqual([en, es, pt]);
    }
  });

  it.each(rows)('$code ends like the English text, and has no blank at its ends', ({ en, es, pt }) => {
    const endOf = (text: string) => /[.:;,!?]?$/.exec(text)?.[0];
    expect([es, pt].map(endOf)).toEqual([endOf(en), endOf(en)]);
    expect([en, es, pt].map((text) => text.trim())).toEqual([en, es, pt]);
  });

  it('has a title for every error code of the API', () => {
    expect(Object.keys(titleMessages)).toEqual(expect.arrayContaining(Object.keys(RETRYABLE)));
  });
});

describe('a message', () => {
  const messages = defineMessages('test', {
    plain: ['Plain', 'Simple', 'Simples'],
    found: ['{n} {n|company|companies} of {place}', '{n} {n|empresa|empresas} de {place}', '{n} {n|empresa|empresas} de {place}'],
    wrapped: ['({inner})', '[{inner}]', '<{inner}>'],
  });

  it('is written in the language', () => {
    expect(LANGUAGES.map((language) => messages.plain().in(language))).toEqual(['Plain', 'Simple', 'Simples']);
  });

  it.each([
    [1, '1 company of Lima', '1 empresa de Lima', '1 empresa de Lima'],
    [2, '2 companies of Lima', '2 empresas de Lima', '2 empresas de Lima'],
    [0, '0 companies of Lima', '0 empresas de Lima', '0 empresa de Lima'],
    [1_000_000, '1000000 companies of Lima', '1000000 empresas de Lima', '1000000 empresas de Lima'],
  ])('has the word for %d by the plural rules of the language', (n, ...texts) => {
    expect(LANGUAGES.map((language) => messages.found({ n, place: 'Lima' }).in(language))).toEqual(texts);
  });

  it('writes messages, joined texts and grouped numbers among its parameters in the same language', () => {
    const inner = joined([messages.plain(), 'X', grouped(1_234_567)], '; ');
    expect(LANGUAGES.map((language) => messages.wrapped({ inner }).in(language))).toEqual([
      '(Plain; X; 1,234,567)',
      '[Simple; X; 1.234.567]',
      '<Simples; X; 1.234.567>',
    ]);
  });

  it('does not read parameters in the texts of its parameters', () => {
    expect(messages.found({ n: 1, place: '{n|a|b} $& {place}' }).in('en')).toBe('1 company of {n|a|b} $& {place}');
  });

  it('keeps its code and parameters as JSON, from which another process creates it', () => {
    const { code, parameters } = JSON.parse(JSON.stringify(messages.found({ n: 2, place: 'Cali' })));
    expect(messageOf(code, parameters)?.in('es')).toBe('2 empresas de Cali');
    expect(messageOf('test.unknown', {})).toBeNull();
  });

  it.each([
    ['Give a tax id.', 'Indique un identificador tributario.'],
    ['Give at most 5000 tax ids.', 'Indique como máximo 5000 identificadores tributarios.'],
    ['The port must be one of 80, 443, 8080, 8443.', 'El puerto debe ser uno de 80, 443, 8080, 8443.'],
    [
      'A CNPJ has 12 letters or digits and 2 check digits, e.g. 11.222.333/0001-81. This has 1 digit.',
      expect.stringMatching(/Este tiene 1 dígito\.$/),
    ],
    ['The check digit of this RUT should be K, not 4.', 'El dígito verificador de este RUT debería ser K, no 4.'],
    ['A sentence of no table.', undefined],
  ])('is read back from %j', (english, spanish) => {
    expect(readMessage(english)?.in('es')).toEqual(spanish);
  });

  it('names the evidence of a reason in the language', () => {
    const record = reasonMessages.debarmentRecord({ kind: 'Suspensão', body: 'Município', status: reasonMessages.ended() });
    const reason = reasonMessages.records({ n: 1, list: 'CEIS', records: record });
    expect(LANGUAGES.map((language) => reason.in(language))).toEqual([
      '1 record on CEIS (Suspensão by Município, ended)',
      '1 registro en «CEIS (inhabilitadas para contratar con el Estado)» (Suspensão, de Município, terminado)',
      '1 registro em “CEIS (empresas inidôneas e suspensas)” (Suspensão, de Município, encerrado)',
    ]);
  });
});

describe('a failure that processes share', () => {
  it('keeps its message in every language', () => {
    const failure = readFailure(Buffer.from(writeFailure(sourceUnavailable('sii', 'a reason for the log'))));
    expect(LANGUAGES.map((language) => failure.messageIn(language))).toEqual([
      'Source sii cannot be read right now; try again later.',
      'La fuente «Registro tributario del SII (RUT)» no se puede leer en este momento; inténtelo más tarde.',
      'A fonte “Cadastro tributário do SII (RUT)” não pode ser lida agora; tente mais tarde.',
    ]);
  });

  it('keeps its English text if this version does not have the message', () => {
    const written = { code: 'SOURCE_UNAVAILABLE', message: 'A newer text.', text: { code: 'newer.text', parameters: {} }, facts: {} };
    expect(readFailure(Buffer.from(JSON.stringify(written))).messageIn('es')).toBe('A newer text.');
  });
});

/** Files of commands that operators use, whose sentences are English → why they are in no catalogue. */
const OPERATORS = [
  /^src\/cli\//, // commands
  /^src\/auth\/(?:accounts|api-keys)\//, // accounts and keys, which only commands change
  /^src\/(?:app\/mailing|auth\/(?:mail|trusted-documents))\.ts$/,
  /^src\/db\/dump\.ts$/,
  /^src\/evidence\/signing-keys\.ts$/,
  /^src\/modules\/tenders\/sources\/index-sync\.ts$/, // the import of files
];

/** An error whose text is a literal. */
const LITERAL = /new AppError\(\s*'[A-Z_]+',\s*['`]|invalidInput\(\s*[^,()]+,\s*['`]/g;

describe('an error that callers of the API see', () => {
  it('has a message of the catalogue', () => {
    const files = globSync('src/**/*.ts').filter((file) => !OPERATORS.some((one) => one.test(file)));
    const found = files.flatMap((file) => (readFileSync(file, 'utf8').match(LITERAL) ?? []).map((text) => `${file}: ${text}`));
    expect(found).toEqual([]);
  });
});
