import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hasLostCharacters, isSameDescription, mapTexts, mended, repaired, unescaped } from '../../src/domain/encoding.ts';

/* The accident in a mirror of the Brazilian registry: https://github.com/cuducos/minha-receita/issues/216 */

const utf8 = new TextEncoder();
const readAs = (charset: 'latin1' | 'windows-1252') => (text: string) =>
  charset === 'latin1' ? Buffer.from(text, 'utf8').toString('latin1') : new TextDecoder(charset).decode(utf8.encode(text));
const ACCIDENTS = [readAs('latin1'), readAs('windows-1252')];

/** Words of Portuguese and Spanish names: every accented letter, at the beginning, inside and at the end. */
const WORDS =
  'ação AÇÃO São SÃO João JOÃO irmã IRMÃ amanhã AMANHÃ maçã Conceição CONCEIÇÃO café CAFÉ É à À às você VOCÊ robô METRÔ Antônio ANTÔNIO Ângela ÂNGELA três pinguim linguiça ÍNDIO Índio saúde SAÚDE Úrsula JACARANDÁ Jacarandá Água ÁGUA Óleo ÓLEO órgão ÓRGÃO açúcar AÇÚCAR Müller MÜLLER Peña PEÑA ñandú Itaú ITAÚ PÃO pães PÃES Ñuble NÕES põe cê Ê Ô Â Ã Õ Ç LTDA Comércio de e do da SA S.A. 1º 2ª Nº 15 § Quipu A & B'.split(
    ' ',
  );
const word = fc.constantFrom(...WORDS);
const joined = (between: readonly string[]) =>
  fc.array(fc.tuple(word, fc.constantFrom(...between)), { minLength: 1, maxLength: 8 }).map((parts) => parts.flat().join('').trim());
const name = joined([' ', ' ', ' ', '-', ', ', "'", ' – ', ' "', '/']);
const isAccented = (text: string): boolean => /[^\p{ASCII}]/u.test(text);

describe('the repair of texts whose UTF-8 was read in another charset', () => {
  it('repairs every name, after one or two of these accidents', () => {
    fc.assert(
      fc.property(name.filter(isAccented), fc.array(fc.constantFrom(...ACCIDENTS), { minLength: 1, maxLength: 2 }), (text, accidents) => {
        expect(repaired(accidents.reduce((now, accident) => accident(now), text))).toBe(text);
      }),
      { numRuns: 3_000 },
    );
  });

  it('leaves every proper name as it is, also with quotes, dashes and blanks that do not break', () => {
    const proper = joined([' ', ' ', '-', '\u00a0', '–', '—', ' “', '” ', '…', '’S ', '®', '/', ' · ', ' «', '» ']);
    const quoted = name.map((text) => `“${text}”`);
    fc.assert(
      fc.property(fc.oneof(name, proper.filter(isUnlikeAccident), quoted), (text) => {
        expect(repaired(text)).toBe(text);
      }),
      { numRuns: 5_000 },
    );
  });

  it.each([
    ['CONSTRUÃ‡ÃƒO SÃƒO JOÃƒO LTDA', 'CONSTRUÇÃO SÃO JOÃO LTDA'],
    ['SÃ³cio-Administrador', 'Sócio-Administrador'],
    ['JACARANDÃ\u0081 LTDA', 'JACARANDÁ LTDA'],
    ['NÂº 1', 'Nº 1'],
    ['CAFÃ‰ â€“ BAR', 'CAFÉ – BAR'],
    ['SÃƒÂ£o JoÃƒÂ£o', 'São João'],
    ['METRÃ”', 'METRÔ'],
  ])('reads %s as %s', (text, meant) => {
    expect(repaired(text)).toBe(meant);
  });

  it.each(['SÃO JOÃO', 'IRMÃ', 'IRMÃ\u00a0MARIA', 'AÇÃO JOÃƒO', 'CONSTRU??O', 'CONSTRU\ufffd\ufffdO', 'FARMÃCIA', 'ÃŸ', 'Ж Ã£', ''])(
    'leaves %j, which is proper or cannot be told',
    (text) => {
      expect(repaired(text)).toBe(text);
    },
  );

  it('knows what lost characters, or may have', () => {
    for (const text of ['CONSTRU\ufffd\ufffdO', 'CONSTRU??O', 'JOS? DA SILVA', '?LVARO', 'AÇÃO JOÃƒO', 'JOSÃ© DA SILVA'])
      expect(hasLostCharacters(text), text).toBe(true);
    for (const text of ['CONSTRUCAO', 'SÃO', 'IRMÃ & CIA', 'IRMÃ', 'IRMÃ\u00a0MARIA', 'ÂNGELA MACÊDO', 'MÃE D’ÁGUA', ''])
      expect(hasLostCharacters(text), text).toBe(false);
  });
});

/** False for what has the bytes of `METRÔ` or `Ó` too: Ã before a quotation mark without its counterpart, and a single letter. */
const isUnlikeAccident = (text: string): boolean => !/Ã[“”]|(?<!\p{L})[ÃÂ][\u0080-\u00bf]/u.test(text);

describe('HTML entities in a text', () => {
  it.each([
    ['A &amp; B LTDA', 'A & B LTDA'],
    ['D&#39;ANGELO &quot;X&quot;', `D'ANGELO "X"`],
    ['D&#x27;OESTE', "D'OESTE"],
    ['JO&Atilde;O &ccedil; &ordm;', 'JOÃO ç º'],
    ['A &amp;amp; B', 'A &amp; B'],
    ['A & B; C &B; &foo; &#0; &#xd800; &#99999999;', 'A & B; C &B; &foo; &#0; &#xd800; &#99999999;'],
  ])('%s is %s', (text, decoded) => {
    expect(unescaped(text)).toBe(decoded);
  });

  it('are decoded after the repair, in every text of an answer', () => {
    expect(mapTexts({ name: 'JOSÃ‰ &amp; CIA', parts: [{ role: 'SÃ³cio', code: 49, since: null }] }, mended)).toEqual({
      name: 'JOSÉ & CIA',
      parts: [{ role: 'Sócio', code: 49, since: null }],
    });
  });
});

describe('two spellings of one description', () => {
  const meant = 'Comércio varejista de produtos farmacêuticos, sem manipulação de fórmulas';
  const lost = (by: string) => meant.replace(/[^\p{ASCII}]/gu, by);

  it.each([
    ['of another letter case', meant.toUpperCase()],
    ['without accents', 'COMERCIO VAREJISTA DE PRODUTOS FARMACEUTICOS, SEM MANIPULACAO DE FORMULAS'],
    ['with decomposed accents', meant.normalize('NFD')],
    ['read as Latin-1', Buffer.from(meant, 'utf8').toString('latin1')],
    ['read as Latin-1 twice', Buffer.from(Buffer.from(meant, 'utf8').toString('latin1'), 'utf8').toString('latin1')],
    ['with question marks', lost('?')],
    ['with replacement characters', lost('\ufffd')],
    ['with the letters left out', lost('')],
    ['with other blanks', ` ${meant.replaceAll(' ', '  ')} `],
    ['with entities', meant.replace('é', '&eacute;')],
  ])('are the same: %s', (_, other) => {
    expect([isSameDescription(meant, other), isSameDescription(other, meant)]).toEqual([true, true]);
  });

  it('are two, where a word is another one', () => {
    expect(isSameDescription(meant, meant.replace('varejista', 'atacadista'))).toBe(false);
    expect(isSameDescription('ATIVA', 'INATIVA')).toBe(false);
    expect(isSameDescription('ATIVA', '')).toBe(false);
  });
});
