import { describe, expect, it } from 'vitest';
import { readAlone } from '../../src/names/name.ts';
import { spellingKey } from '../../src/names/spelling-key.ts';
import { wordsOf } from '../../src/names/words.ts';

describe('the words of a name', () => {
  it.each([
    ['Compañía de Fomento, S.A.', ['COMPANIA', 'DE', 'FOMENTO', 'SA']],
    ['C. M. V. Carnes S A S', ['CMV', 'CARNES', 'SAS']],
    ['C.A.D. S.A.', ['CAD', 'SA']],
    ['M.A.T.S.A. S.A.DE C.V.', ['MATSA', 'SA', 'DE', 'CV']],
    ['G & G Internacional', ['GYG', 'INTERNACIONAL']],
    ['Gómez & Cía', ['GOMEZ', 'Y', 'CIA']],
    ['Grupo W S/A', ['GRUPO', 'W', 'SA']],
    ["Shari'a D'Angelo", ['SHARIA', 'DANGELO']],
    ['ООО «Вымпел»', ['OOO', 'VYMPEL']],
    ['Straße № 7 Ærø', ['STRASSE', 'NO', '7', 'AERO']],
    ['Construcci?n Norv\ufffd\ufffdlez', ['CONSTRUCCION', 'NORVLEZ']],
    ['COMPA??A DE IMPORTA\ufffd\ufffd\ufffd\ufffdO', ['COMPANIA', 'DE', 'IMPORTACAO']],
    ['¿Kaltex? ?Vydumka', ['KALTEX', 'VYDUMKA']],
    ['北京公司', []],
  ])('of %s are %j', (name, words) => {
    expect(wordsOf(name)).toEqual(words);
  });

  it.each(['C0MPANIA 1 ', 'KALTEX 1 ; '])(
    'reads the first 500 characters of a name that repeats "%s", also for its other readings',
    (part) => {
      const long = part.repeat(1000);
      expect(readAlone(long)).toEqual(readAlone(long.slice(0, 500)));
    },
  );

  it.each([
    ['CONSTRUCTORA GUADALES LIMITADA', ['CONSTRUCTORA', 'GUADALES'], ['LIMITADA']],
    ['TRANSPORTES EL CACTUS, S.A. de C.V.', ['TRANSPORTES', 'CACTUS'], ['SA DE CV']],
    ['HENAO GONZALEZ Y CIA. S. en C.', ['HENAO', 'GONZALEZ'], ['Y CIA', 'S EN C']],
    ['OBSHCHESTVO S OGRANICHENNOI OTVETSTVENNOSTYU VYDUMKA', ['VYDUMKA'], ['OBSHCHESTVO S OGRANICHENNOI OTVETSTVENNOSTYU']],
    ['PADARIA DO ZE LTDA - ME', ['PADARIA', 'ZE'], ['LTDA ME']],
    ['ACME LIMTED LIABILTY COMPANY', ['ACME'], ['LIMITED LIABILITY COMPANY']],
    ['LTDA', ['LTDA'], []],
  ])('of %s that count are %j, and %j is set aside', (name, words, forms) => {
    const [read] = readAlone(name);
    expect(read?.words.map(({ text }) => text)).toEqual(words);
    expect(read?.forms).toEqual(forms);
  });

  it.each([
    ['VERGEL', 'VERJEL'],
    ['VALENCIA', 'BALENSIA'],
    ['LADRILLERA', 'LADRILERA'],
    ['MIGUEZ', 'MIGHES'],
    ['YOLANDA', 'IOLANDA'],
    ['SHARIF', 'CHARIF'],
    ['QUIMICA', 'KIMICA'],
    ['HERMES', 'ERMES'],
    ['PHOENIX', 'FOENIX'],
  ])('%s and %s are spelling variants', (one, other) => {
    expect(spellingKey(one)).toBe(spellingKey(other));
  });

  it('with a digit have one spelling only', () => {
    expect(spellingKey('B2B')).not.toBe(spellingKey('V2V'));
  });
});
