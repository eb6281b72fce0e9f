import { describe, expect, it } from 'vitest';
import { buildNameIndex } from '../../src/names/build-name-index.ts';
import type { Hit, ListedName, NameIndex } from '../../src/names/name-index.ts';

/** Builds an index of parties with one name each, or with names of their own. */
function indexOf(...parties: readonly (string | readonly ListedName[])[]): NameIndex<number> {
  const work = buildNameIndex(
    parties.map((names, party) => ({ party, names: typeof names === 'string' ? [{ text: names, matchedOn: 'name' as const }] : names })),
  );
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
}

const found = (searched: string, listed: string): Hit<number> | undefined => indexOf(listed).search(searched)[0];

describe('two names', () => {
  it.each([
    ['in another letter case, with accents', 'Fúra Bloqueio Ltda', 'FURA BLOQUEIO LTDA'],
    ['without the legal form', 'AGROESPINAL', 'AGROESPINAL S.A.'],
    ['with another legal form', 'VYDUMKA TRADING S.A.S.', 'VYDUMKA TRADING LLC'],
    ['in another order', 'LOGISTICA Y TRANSPORTE NORVAL', 'TRANSPORTE Y LOGISTICA NORVAL LTDA'],
    ['with an abbreviation', 'BINGOLANDIA INTL E.U.', 'BINGOLANDIA INTERNACIONAL E.U.'],
    ['with a word of business in another language', 'KALTEX CONSTRUTORA', 'CONSTRUCTORA KALTEX S.A.'],
    ['with another word for its trade', 'AUTO REFACCIONES NORVAL', 'AUTO PARTES NORVAL S.A.'],
    ['with an abbreviated word of a trade', 'NORVAL INTERM. DE NEGOCIOS', 'NORVAL INTERMEDIACAO DE NEGOCIOS LTDA'],
    ['with letters that an encoding has lost', 'CONSTRUCCI\ufffdN NORV?LEZ LTDA', 'CONSTRUCCIÓN NORVÁLEZ LTDA'],
    ['with one wrong letter', 'CONSTRUCTORA GUADALES S.A.', 'CONSTRUCTORA GUADALEST S.A.'],
    ['with two letters swapped', 'INDUSTRIAS KORIAMTA SA', 'INDUSTRIAS KORIMATA SA'],
    ['with a mistake in a word of business', 'COMERCIALIZADRA KORIMATA', 'COMERCIALIZADORA KORIMATA LTDA'],
    ['with a spelling variant', 'GANADERIA EL VERJEL LTDA', 'GANADERIA EL VERGEL LTDA'],
    ['with two words written as one', 'AEROKURIER SPA', 'AERO KURIER SPA'],
    ['with one word written as two', 'AERO KURIER SPA', 'AEROKURIER SPA'],
    ['without the conjunction', 'INVERSIONES COMERCIALIZADORA INKOM', 'INVERSIONES Y COMERCIALIZADORA INKOM LTDA'],
    ['with three words written as one', 'AEROTRANSKURIER', 'AERO TRANS KURIER SPA'],
    ['with a form without a blank', 'VYDUMKASAS', 'VYDUMKA LTDA'],
    ['with a form of points without a blank', 'VYDUMKAS.A.S.', 'VYDUMKA LTDA'],
    ['with a form recognised by its letter case', 'VydumkaAG', 'VYDUMKA AKTIENGESELLSCHAFT'],
    ['with a number in digits', 'FINCA 3 KALTEX', 'FINCA LOS TRES KALTEX'],
    ['with a number in words of another language', 'TWELVE KALTEX', '12 KALTEX LTD'],
    ['with an ordinal', 'KALTEX 2ND BANK', 'KALTEX SECOND BANK'],
    ['in Cyrillic', 'ООО «Выдумка»', 'OOO VYDUMKA'],
    ['with forms of points in a row', 'VYDUMKA S.A. E.S.P.', 'VYDUMKA LTDA'],
    ['with a form in letters apart', 'VYDUMKA S A E S P', 'VYDUMKA LTDA'],
    ['with an abbreviated form', 'VYDUMKA SOC. ANONIMA', 'VYDUMKA LTDA'],
    ['with an abbreviated form that others write as words', 'C.I. DEL ITSMO SAS', 'COMERCIALIZADORA INTERNACIONAL DEL ITSMO S.A.'],
    ['with words that others abbreviate to a form', 'COMERCIALIZADORA INTERNACIONAL DEL ITSMO SAS', 'DEL ITSMO C.I. S.A.'],
    ['with a note about the state of the company', 'KSK S.A. EN LIQUIDACION', 'KSK S.A.'],
    ['with a note about the licence of a bank', 'BANCO DE FOMENTO C.A. BANCO UNIVERSAL', 'BANCO DE FOMENTO, C.A.'],
    ['with a note about a court', 'KSK S.A. EN LIQUIDACION JUDICIAL', 'KSK S.A.'],
    ['with an abbreviated direction', 'PRODUCTOS MEDICOS KALTEX DEL NTE', 'PRODUCTOS MEDICOS KALTEX DEL NORTE'],
    ['of four common words, one of them abbreviated', 'CIA GENERAL DE FOMENTO DE PANAMA C.A.', 'COMPANIA GENERAL DE FOMENTO DE PANAMA'],
    ['with an ampersand of HTML', 'KALTEX &amp; VYDUMKA', 'KALTEX Y VYDUMKA'],
    ['with an initial for a word', 'INMOBILIARIA K. VYDUMKA', 'INMOBILIARIA KALTEX VYDUMKA'],
    ['with a word for an initial', 'INMOBILIARIA KALTEX VYDUMKA', 'INMOBILIARIA K. VYDUMKA'],
    ['with a letter missing in a word of five', 'TRANSPORTES NACR VYDUMKA', 'TRANSPORTES NACER VYDUMKA'],
    ['with two letters that are another spelling', 'GANADERIA HUMALLA VYDUMKA', 'GANADERIA HUMAYA VYDUMKA'],
    ['with a plural', 'VYDUMKA KANALES', 'VYDUMKA KANAL'],
    ['with a plural of the only word that identifies', 'KORIMATO LTDA', 'KORIMATOS LTDA'],
    ['with another gender in a name of three words', 'UNION KORIMATERA DE JALISCO', 'UNION KORIMATERO DE JALISCO S.C.'],
    ['with a number in words at the end', 'ALMACEN KALTEX NO. DOS', 'ALMACEN KALTEX NO. 2'],
    ['with a number in several words', 'GANADERIA TREINTA Y TRES KALTEX', 'GANADERIA 33 KALTEX'],
    ['with a number in one word of twenty and more', 'KALTEX VEINTINUEVE', 'KALTEX 29'],
    ['with thousands in words', 'TRANSPORTES KALTEX DOS MIL S.A.', 'TRANSPORTES KALTEX 2000 S.A.'],
    ['with what stands before a number written out', 'ALMACEN KALTEX NUMERO 1', 'ALMACEN KALTEX NO. 1'],
    ['of common words, with a number in words', 'GANADERIA CINCO ROSAS SPR DE RL', 'GANADERIA 5 ROSAS SOCIEDAD DE PRODUCCION RURAL'],
    ['of common words, one cut short, without its form', 'CIA REAL DE PANAMA', 'COMPANIA REAL DE PANAMA S.A.'],
    ['of general words, one cut short, without its form', 'GRAN CIA DE HOTELES', 'GRAN COMPANIA DE HOTELES LTDA.'],
    ['of general words, with another legal form', 'NEGOCIOS Y CAPITALES SAS', 'NEGOCIOS Y CAPITALES S.A.'],
    ['without an acronym in parentheses', 'KORIMATA DEVELOPMENT ORGANIZATION', 'KORIMATA DEVELOPMENT ORGANIZATION (KDO)'],
    ['without an acronym at its end', 'COMERCIALIZADORA DE CAFE DEL OCCIDENTE', 'COMERCIALIZADORA DE CAFE DEL OCCIDENTE CODECAFE LTDA.'],
    ['with an acronym at its end', 'Servicios Mineros del Norte SERMINOR S.A.', 'SERVICIOS MINEROS DEL NORTE LTDA'],
    ['with all its initials at its end', 'Fondo Kaltex de Panama FKP', 'FONDO KALTEX DE PANAMA'],
    ['with digits that look like letters', 'C0N5TRUCTORA KA1TEX LTDA', 'CONSTRUCTORA KALTEX LTDA'],
    ['with digits for all letters, and in the form', '1NVER510NE5 V1DUMKA 5.A.5.', 'INVERSIONES VIDUMKA S.A.S.'],
    ['with a repeated word', 'TRANSPORTES KALTEX KALTEX LTDA', 'TRANSPORTES KALTEX LTDA'],
    ['with a repeated word that has an accent', 'Transportes Káltex Káltex Ltda', 'TRANSPORTES KALTEX LTDA'],
    ['with an abbreviation that no table has', 'KALTEX SHPNG CO', 'KALTEX SHIPPING CO'],
    ['with words cut to their beginning', 'KALTEX MANUF. EXPL. LTDA', 'KALTEX MANUFACTURING EXPLORATION LTDA'],
    ['with a note in parentheses', 'KALTEX TRADING LTD (NO USAR, VER NIT NUEVO)', 'KALTEX TRADING LTD'],
    ['with a note after a dash', 'KALTEX TRADING LTD - CLIENTE INACTIVO', 'KALTEX TRADING LTD'],
    ['with a former name', 'KALTEX TRADING LTD, antes Norvalia del Sur', 'KALTEX TRADING LTD'],
    ['with a former name that is listed', 'FULANO DE TAL ME (ANTIGA KALTEX VYDUMKA LTDA)', 'KALTEX VYDUMKA LTDA'],
    ['with a former name behind a dash', 'FULANO DE TAL LTDA - EX KALTEX VYDUMKA', 'KALTEX VYDUMKA LTDA'],
    ['with a trade name that is listed', 'FULANO LTDA, NOME FANTASIA: KALTEX VYDUMKA', 'KALTEX VYDUMKA LTDA'],
    ['with a former name behind f.k.a.', 'KALTEX TRADING LTD f.k.a. Norvalia del Sur', 'KALTEX TRADING LTD'],
    ['with a former name behind f.k.a. that is listed', 'FULANO LTDA f.k.a. KALTEX VYDUMKA', 'KALTEX VYDUMKA LTDA'],
    ['with another name by which it is known', 'KALTEX VYDUMKA LTDA conhecida como Norvalia', 'KALTEX VYDUMKA LTDA'],
    ['with a vertical tab between words', 'KALTEX\u000bVYDUMKA', 'KALTEX VYDUMKA'],
    ['with a trade name in English', 'FULANO LTDA d/b/a KALTEX VYDUMKA', 'KALTEX VYDUMKA LTDA'],
    ['with a name of the company that it succeeds', 'FULANO LTDA SUCESSORA DE KALTEX VYDUMKA', 'KALTEX VYDUMKA LTDA'],
    ['with Greek letters that look Latin', 'KΑLΤΕΧ VΥDUΜΚΑ', 'KALTEX VYDUMKA'],
    ['with marks of direction and control characters in its words', 'KAL\u202aTEX VYD\u0000UM\u2069KA', 'KALTEX VYDUMKA'],
    ['with half a surrogate in a word', 'KAL\ud800TEX TRADING', 'KALTEX TRADING'],
    ['with a tax id', 'KALTEX TRADING LTDA NIT 890.123.456-7', 'KALTEX TRADING LTDA'],
    ['with how a letter begins', 'Señores: KALTEX TRADING LTD', 'KALTEX TRADING LTD'],
    ['with a word that fits any company before it', 'GRUPO KALTEX', 'KALTEX S.A.'],
    ['with a word that fits any company after it', 'KALTEX GROUP OF COMPANIES', 'KALTEX LLC'],
    ['with a Turkish form', 'KALTEX Tic. Ltd. Şti.', 'KALTEX LLC'],
    ['with a Malaysian form', 'KALTEX Sdn. Bhd.', 'KALTEX LLC'],
    ['with Cyrillic letters that look Latin', 'КАLТЕX TRADING', 'KALTEX TRADING'],
    ['with characters that are not seen', 'KAL\u00adTEX TRA\u200bDING', 'KALTEX TRADING'],
    ['in another romanisation', 'SIRZHAN TAREEK AKCIONER', 'SIRJAN TARIQ AKTSIONER'],
    ['that are one part of a name in two parts', 'JAMAAT AL VYDUMKA', 'AL VYDUMKA FOUNDATION ; JAMAAT AL VYDUMKA'],
  ])('%s match', (_, searched, listed) => {
    expect(found(searched, listed)).toMatchObject({ decision: 'match' });
  });

  it.each([
    ['share words of business only', 'COMERCIALIZADORA INTERNACIONAL DE ALIMENTOS', 'COMERCIALIZADORA DE CARNES LTDA'],
    ['share a common word and differ in trade', 'TRANSPORTES EL SOL LTDA', 'PANADERIA EL SOL LTDA'],
    ['differ in the place', 'BANCO DEL NORTE', 'BANCO DEL SUR'],
    ['differ in the number', 'INVERSIONES 2000 SA', 'INVERSIONES 3000 SA'],
    ['differ in the only word that identifies', 'CONSTRUCTORA KALTEX', 'CONSTRUCTORA VYDUMKA'],
    ['share one of two surnames', 'GOMEZ PEREZ LTDA', 'GOMEZ MARIN LTDA'],
    ['share all words but one that is no acronym of them', 'SERVICIOS MINEROS DEL NORTE VYDUMKA S.A.', 'SERVICIOS MINEROS DEL NORTE LTDA'],
    ['are a name, and listed initials of four letters that many names have', 'KALTEX VYDUMKA FLOT TRUST', 'KVFT'],
    ['differ in a written number', 'TRES KALTEX SA', 'CUATRO KALTEX SA'],
    ['differ in one word of a written number', 'INVERSIONES DOS MIL SA', 'INVERSIONES TRES MIL SA'],
    ['are initials that sound alike', 'OPTICA P & J LTDA', 'PIJ SA'],
    ['are a word of business, and the same with initials of silent letters', 'INGENIERIA HZS', 'LAS INGENIERIAS S.A.S.'],
    ['are short words of one letter difference', 'NIRA SA', 'NARA SA'],
    ['are one short word of the same sound', 'VALE SA', 'WHALE SA'],
    ['are one short word that differs in a letter', 'FORUK SA', 'FOKUK SA'],
    ['are one word of six letters that differs in one', 'GRUPO NORVEZ SA', 'NORJEZ LTDA'],
    ['are one word that differs in its first letter', 'LIPIKAS SA', 'NIPIKAS SA'],
    ['are general words in another order and form', 'INVERSIONES LA CONSTRUCCION S.A.', 'CONSTRUCCIONES E INVERSIONES LTDA'],
    ['are two words that both exist', 'OPTICA CENTRAL SA', 'OPTIMA CENTRAL SA'],
    ['share a common word, one with a trade', 'BUSES PANAMERICANA LIMITADA', 'PANAMERICANA LTDA'],
    ['share one rare word and differ in trade', 'MINERA VYDUMKA', 'IMPORTADORA VYDUMKA LTDA'],
    ['are a word with a digit and another word', 'KALTEX 105', 'KALTEX LOS'],
    ['share only what is before a dash, a word of business', 'TRANSPORTES - KALTEX', 'TRANSPORTES VYDUMKA'],
    ['share a name of which one keeps a word that identifies', 'KALTEX VYDUMKA SA', 'KALTEX SA'],
    ['share a name of which one is an agency, written with two blanks', 'KALTEX AGENCIA  DE  VIAJES', 'KALTEX SA'],
  ])('that %s are no candidates', (_, searched, listed) => {
    expect(found(searched, listed)).toBeUndefined();
  });

  it.each([
    ['share one common surname and forms that differ', 'FLOREZ Y CIA LTDA', 'FLOREZ S.A.'],
    ['share initials, the form of one unknown', 'KSK', 'KSK LTD'],
    ['are initials, and the listed name that they are of', 'KVFT', 'KALTEX VYDUMKA FLOT TRUST'],
    ['are a name, and its listed initials with the form', 'Kaltex de Vydumka Flot', 'KVFSA'],
    ['differ in the final vowel of the only word that identifies', 'POSITIVO TECNOLOGIA S.A.', 'JSC POSITIVE TECHNOLOGIES'],
    ['share a common word and a translated one, and differ in the form', 'INVERSIONES ALFA S.A.S.', 'ALFA-INVEST LLC'],
    ['share a common word and a translated one, the form of one unknown', 'PARTICIPACOES ATLAS LTDA', 'ATLAS HOLDING'],
    ['share common surnames, one with a general word, and differ in the form', 'RODRIGUEZ Y LOPEZ ASOCIADOS S.C.', 'RODRIGUEZ LOPEZ S.A.'],
    ['share a plural, and the screened name adds a word', 'TRANSPORTES KORIMATAS DEL CENTRO', 'TRANSPORTES KORIMATA'],
    ['are general words, the form of one unknown', 'FIRST ENERGY', '1ST ENERGY LTD'],
    ['share one long rare word, and the screened name adds a trade', 'MINERA VYDUMKALAND', 'VYDUMKALAND LTDA'],
    ['differ in a word, and an encoding has lost blanks', 'KALTEX\ufffdVYDUMKA?NORTE\ufffdSERVICIOS', 'KALTEX VYDUMKA'],
  ])('that %s are for review', (_, searched, listed) => {
    expect(found(searched, listed)).toMatchObject({ decision: 'review' });
  });

  it('never match by a weak alias, and are for review only if all its words agree', () => {
    const index = indexOf([
      { text: 'VYDUMKA HOLDING', matchedOn: 'name' },
      { text: 'TRES ESTRELAS LTDA', matchedOn: 'weak_alias' },
    ]);
    expect(index.search('TRES ESTRELAS')).toMatchObject([{ decision: 'review', name: { matchedOn: 'weak_alias' } }]);
    expect(index.search('TRES ESTRELAS KALTEX')).toEqual([]);
    const initials = indexOf([{ text: 'KALTEX VYDUMKA FLOT TRUST', matchedOn: 'weak_alias' }]);
    expect(initials.search('KVFT')).toEqual([]);
  });

  it('of only words of business match by all of their words only', () => {
    expect(found('COMERCIALIZADORA AUTOMOTRIZ SAS', 'COMERCIALIZADORA AUTOMOTRIZ LTDA')).toMatchObject({ decision: 'match' });
    expect(found('COMERCIALIZADORA AUTOMOTRIZ DEL SUR', 'COMERCIALIZADORA AUTOMOTRIZ LTDA')).toBeUndefined();
    expect(found('INVERSIONES LTDA', 'INVERSIONES S.A.')).toBeUndefined();
  });

  it('of one word of business and a common one match only with the same legal form, because many companies have such a name', () => {
    expect(found('DISTRIBUIDORA IMPERIAL S.A.S.', 'DISTRIBUIDORA IMPERIAL')).toMatchObject({ decision: 'review' });
    expect(found('DISTRIBUIDORA IMPERIAL S.A.S.', 'DISTRIBUIDORA IMPERIAL LTDA')).toMatchObject({ decision: 'review' });
    expect(found('DISTRIBUIDORA IMPERIAL LTDA', 'DISTRIBUIDORA IMPERIAL LIMITADA')).toMatchObject({ decision: 'match' });
  });

  it('of a sole trader match without the masked CPF beside them', () => {
    for (const mask of ['***456789**', '***45678***'])
      expect(found(`KALTEX VYDUMKA ${mask}`, 'KALTEX VYDUMKA')).toMatchObject({
        decision: 'match',
        explanation: `Same words: KALTEX, VYDUMKA. Not taken as part of the name: ${'*'.repeat(mask.length)}.`,
      });
  });

  it('are explained by their words', () => {
    expect(found('Kaltex Guadales Norte S.A.', 'KALTEX GUADALEST LTDA')).toMatchObject({
      explanation:
        'Same words: KALTEX. Similar: GUADALES for GUADALEST. Only in the screened name: NORTE. Legal forms set aside: SA, LTDA.',
    });
    expect(found('KVFT', 'KALTEX VYDUMKA FLOT TRUST')).toMatchObject({ explanation: 'Initials: KVFT for KALTEX VYDUMKA FLOT TRUST.' });
    expect(found('GANADERIA EL VERJEL', 'GANADERIA EL VERGEL')).toMatchObject({
      explanation: 'Same words: GANADERIA. Same word, written differently: VERJEL for VERGEL.',
    });
    expect(found('GUADALE5 SHPG SHPG (no usar)', 'GUADALES SHIPPING')).toMatchObject({
      explanation:
        'Same words: GUADALES. Same word, written differently: SHPG for SHIPPING. Not taken as part of the name: (no usar). Digits read as letters: GUADALE5. Repeated: SHPG.',
    });
    expect(found('KALTEX TRADING NIT 890.123.456-7', 'KALTEX TRADING')).toMatchObject({
      explanation: 'Same words: KALTEX, TRADING. Not taken as part of the name: NIT ***.***.***-*.',
    });
    expect(found('KALTEX CIA 5', 'KALTEX COMPANIA CINCO')).toMatchObject({
      explanation: 'Same words: KALTEX. Same word, written differently: CIA for COMPANIA. Same word, written differently: 5 for CINCO.',
    });
    expect(found('Servicios Mineros del Norte SERMINOR', 'SERVICIOS MINEROS DEL NORTE')).toMatchObject({
      explanation: 'Same words: SERVICIOS, MINEROS, NORTE. Not taken as part of the name: SERMINOR.',
    });
    expect(found('KALTEX SHPNG', 'KALTEX SHIPPING')).toMatchObject({
      explanation: 'Same words: KALTEX. Abbreviation: SHPNG for SHIPPING.',
    });
  });
});

describe('an index of names', () => {
  it('returns the best name of each party, the best party first', () => {
    const index = indexOf('KALTEX VYDUMKE LTDA', [
      { text: 'SOMETHING ELSE', matchedOn: 'name' },
      { text: 'KALTEX VIDUMKA', matchedOn: 'alias' },
      { text: 'KALTEX VYDUMKA', matchedOn: 'alias' },
    ]);
    expect(index.search('KALTEX VYDUMKA').map(({ party, name }) => [party, name.text])).toEqual([
      [1, 'KALTEX VYDUMKA'],
      [0, 'KALTEX VYDUMKE LTDA'],
    ]);
  });

  it('takes a word that many parties bear as saying less', () => {
    const many = Array.from({ length: 200 }, (_, i) => `KALTEX ${'BCDFGHJKLM'[i % 10]}${'AEIOU'[i % 5]}RUNA${i}`);
    expect(indexOf('KALTEX MINING LTD').search('KALTEX')).toHaveLength(1);
    expect(indexOf('KALTEX MINING LTD', ...many).search('KALTEX')).toEqual([]);
  });

  it('takes a word as saying as much as before after an index of many parties with it was built', () => {
    const before = indexOf('KALTEX MINING LTD');
    indexOf('KALTEX MINING LTD', ...Array.from({ length: 200 }, (_, i) => `KALTEX ${'BCDFGHJKLM'[i % 10]}${'AEIOU'[i % 5]}RUNA${i}`));
    expect(before.search('KALTEX')).toHaveLength(1);
    expect(indexOf('KALTEX MINING LTD').search('KALTEX')).toHaveLength(1);
  });

  it('finds a listed abbreviation for one of the words of business that the searched name is made of', () => {
    const index = indexOf('FRIGORIFICO FTA S.A.');
    const found = index.search('FRIGORIFICO LA FLORESTA S.A.');
    expect(found).toHaveLength(1);
    expect(found).toEqual(index.searchAll('FRIGORIFICO LA FLORESTA S.A.'));
  });

  it('is searched for any text: of notes, dashes and digits only, and of many', () => {
    const index = indexOf('KALTEX TRADING');
    for (const text of ['B3 S.A. - BRASIL', '- - -', '(((', '0 1 5', `KALTEX${' - A'.repeat(100)}`, '(1'.repeat(250)]) index.search(text);
    expect(index.search('KALTEX TRADING')).toHaveLength(1);
  });

  it('is searched in parts, because one text may be similar to thousands of names', () => {
    const index = indexOf(...Array.from({ length: 500 }, (_, i) => `KALTEX VYDUMKA ${'BCDFGHJKLM'[i % 10]}${'AEIOU'[i % 5]}RUNA${i}`));
    const searched = (text: string) => {
      const search = index.searchInParts(text);
      let step = search.next();
      let parts = 0;
      for (; !step.done; step = search.next()) parts += 1;
      expect(step.value).toEqual(index.searchAll(text));
      return parts;
    };
    expect(searched('B KALTEX C VYDUMKA D')).toBe(10);
    // More initials than a listed name has words make it another name.
    expect(searched(`KALTEX VYDUMKA ${'B 2 C 3 '.repeat(50)}`)).toBe(0);
  });

  it('reads names with a word, and no others', () => {
    expect(['S.A.', 'Вымпел', '7', '北京', '', '...'].map((name) => indexOf('X').reads(name))).toEqual([
      true,
      true,
      true,
      false,
      false,
      false,
    ]);
  });
});
