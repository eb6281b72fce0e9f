import { describe, expect, it } from 'vitest';
import type { Hit } from '../../src/names/name-index.ts';
import { indexed } from '../support/listed-companies.ts';

const found = (searched: string, listed: string): Hit<string> | undefined =>
  indexed([{ party: listed, names: [{ text: listed, matchedOn: 'name' }] }]).search(searched)[0];

describe('a searched name that is spelt otherwise than the listed one', () => {
  it.each([
    ['with a digit for a letter that stands alone', 'VYDUMKA KA1TEX, 5. DE R.L. DE C.V.', 'VYDUMKA KALTEX, S. DE R.L. DE C.V.'],
    ['with digits for letters, and a number', 'VYDUMKA 5 KA1TEX', 'VYDUMKA 5 KALTEX'],
    ['with digits beside an apostrophe', "VYDUMKA PE0PLE'5 M1L1T1A", "VYDUMKA PEOPLE'S MILITIA"],
    ['with zeros for a Russian form behind', 'VYDUMBANK 000', 'VYDUMBANK OOO'],
    ['without blanks, where sounds meet', 'ARMYOFTHEREPUBLICOFVYDUMKA', 'ARMY OF THE REPUBLIC OF VYDUMKA'],
    ['without blanks, with the form', 'KALTEXSHIPPINGFZC', 'KALTEX SHIPPING FZC'],
    ['without blanks, with a part of the form', 'VYDUMKAKALTEXYCIA', 'VYDUMKA KALTEX Y CIA S.C.S.'],
    ['with spaced letters that end like a form', 'K A L T E S A PERU S.A.C.', 'KALTESA PERU S.A.C.'],
    ['with spaced letters that end with a conjunction', 'KALTEX V Y D U M K E Y INDUSTRIES', 'KALTEX VYDUMKEY INDUSTRIES'],
    ['with spaced letters before a conjunction', 'V Y D U M K A Y KALTEX', 'VYDUMKA Y KALTEX'],
    ['with two words for one in another language', 'REAL ESTATE KALTEX LTDA', 'INMOBILIARIA KALTEX LTDA'],
    ['with a short group', 'KALTEX GR.', 'KALTEX GROUP'],
    ['without an acronym with a form in parentheses', 'VYDUMKA KALTEX', 'VYDUMKA KALTEX CO. (VK CO.)'],
  ])('%s is a match', (_, searched, listed) => {
    expect(found(searched, listed)).toMatchObject({ decision: 'match' });
  });

  it.each([
    ['initials, and a word with the same letters and silent ones', 'INGENIERIA HZS', 'LAS INGENIERIAS S.A.S.'],
    ['GR without a point, which is initials', 'INVERSIONES GR SAS', 'INVERSIONES GRUPO LTDA'],
  ])('that is %s is no candidate', (_, searched, listed) => {
    expect(found(searched, listed)).toBeUndefined();
  });

  it('is explained by the letters that were read as a word', () => {
    expect(found('K A L T E S A PERU', 'KALTESA PERU')).toMatchObject({
      explanation: 'Same words: KALTESA, PERU. Letters read as a word: K A L T E S A.',
    });
  });
});

describe('a searched name with another name of the company in it', () => {
  const LISTED = 'VYDUMKA KALTEX LTDA';
  it.each([
    'CONSTRUCTORA NUEVA S.A.S. (ANTES VYDUMKA KALTEX LTDA)',
    'CONSTRUCTORA NUEVA S.A.S. ANTES VYDUMKA KALTEX LIMITADA',
    'NOVA OBRAS LTDA FORMERLY KNOWN AS VYDUMKA KALTEX',
    'NOVA OBRAS LTDA - NOME FANTASIA: VYDUMKA KALTEX',
    'CONSTRUCTORA NUEVA S.A.S. PUDIENDO UTILIZAR LA SIGLA VYDUMKA KALTEX S.A.S.',
    'CONSTRUCTORA NUEVA S.A.S. CUYA SIGLA ES VYDUMKA KALTEX',
    'CONSTRUCTORA NUEVA S.A.S. SIGLA VYDUMKA KALTEX S.A.S. ANTES OBRAS VIEJAS LTDA',
    'CONSTRUCTORA NUEVA S.A.S. (ANTES OBRAS VIEJAS LTDA) CUYA SIGLA ES VYDUMKA KALTEX',
  ])('is found by that name, and says which words it left out: %s', (searched) => {
    const hit = found(searched, LISTED);
    expect(hit).toMatchObject({ decision: 'match', explanation: expect.stringMatching(/Not taken as part of the name: (?:CONSTR|NOVA)/) });
  });

  it.each([
    ['CONSTRUCTORA NUEVA S.A.S. SIGLA CN S.A.S.', 'CONSTRUCTORA NUEVA S.A.S.'],
    ['CONSTRUCTORA NUEVA S.A.S. Y PODRÁ USAR LA SIGLA CN S.A.S.', 'CONSTRUCTORA NUEVA S.A.S.'],
    ['CONSTRUCTORA NUEVA S.A.S. (ANTES VYDUMKA KALTEX LTDA)', 'CONSTRUCTORA NUEVA S.A.S.'],
  ])('is found by its own name, too: %s', (searched, listed) => {
    expect(found(searched, listed)).toMatchObject({ decision: 'match' });
  });

  it.each([
    ['an acronym of three letters', 'FUNDACION CAMINO NUEVO SIGLA VKX', 'VKX'],
    ['a legal form', 'REPUESTOS COMO ANTES SAS', 'SAS'],
  ])('is not found by %s alone', (_, searched, listed) => {
    expect(found(searched, listed)).toBeUndefined();
  });

  it('shows no number in the words that it left out', () => {
    const { explanation } = found('ANA 52998224725 ANTES VYDUMKA KALTEX', LISTED) ?? {};
    expect(explanation).toMatch(/Not taken as part of the name: ANA \*+\./);
  });
});
