import { describe, expect, it } from 'vitest';
import { chooseOwner, matchesName, type RegistryNames, taxIdsToLookUp } from '../../../src/sources/domains/choose.ts';
import type { PageSightings, Sighting, SightingKind } from '../../../src/sources/domains/owner.ts';

const OWN = '763609030';
const AGENCY = '763718646';
const THIRD = '763339807';

const mention = (taxId: string, kind: SightingKind = 'footer', credit = false): Sighting => ({ taxId, kind, credit, snippet: kind });
const page = (path: string, ...sightings: readonly Sighting[]): PageSightings => ({
  url: `https://rentokil.cl${path}`,
  title: '',
  sightings,
});
const known = (names: Readonly<Record<string, string | null>>): RegistryNames => new Map(Object.entries(names));
const choose = (pages: readonly PageSightings[], names: RegistryNames = new Map()) => chooseOwner(pages, 'rentokil.cl', 'CL', names);
const outcome = (pages: readonly PageSightings[], names?: RegistryNames) => {
  const { company, confidence, reason } = choose(pages, names);
  return company ? [company.taxId, confidence] : reason;
};

describe('the owner of a site', () => {
  it.each([
    ['structured', 0.9],
    ['footer', 0.8],
    ['label', 0.6],
  ] as const)('is the only one named, as surely as it is named: %s', (kind, confidence) => {
    expect(choose([page('/', mention(OWN, kind))])).toEqual({
      company: { country: 'CL', taxId: OWN },
      confidence,
      evidence: { url: 'https://rentokil.cl/', snippet: kind, kind },
      candidates: [{ company: { country: 'CL', taxId: OWN }, confidence, evidence: { url: 'https://rentokil.cl/', snippet: kind, kind } }],
      reason: null,
    });
  });

  it('gains confidence with each further page, up to 0.95', () => {
    expect(outcome([page('/', mention(OWN, 'label')), page('/contacto', mention(OWN, 'label'))])).toEqual([OWN, 0.7]);
    expect(outcome([page('/', mention(OWN)), page('/contacto', mention(OWN)), page('/nosotros', mention(OWN))])).toEqual([OWN, 0.95]);
  });

  it('has the mention with the highest weight as evidence', () => {
    const { evidence } = choose([page('/', mention(OWN, 'label')), page('/legal', mention(OWN, 'unlabelled'), mention(OWN, 'structured'))]);
    expect(evidence).toMatchObject({ url: 'https://rentokil.cl/legal', kind: 'structured' });
  });

  it('is not decided by a number beside a name alone', () => {
    expect(outcome([page('/', mention(OWN, 'unlabelled'))])).toBe('not_named');
    expect(outcome([page('/', mention(OWN, 'unlabelled'))], known({ [OWN]: 'RENTOKIL INITIAL CHILE SPA' }))).toEqual([OWN, 0.6]);
    expect(outcome([page('/', mention(OWN, 'unlabelled')), page('/a', mention(OWN, 'unlabelled'))])).toEqual([OWN, 0.5]);
  });

  it('is never a tax id that the registry does not have', () => {
    expect(outcome([page('/', mention(OWN), mention(THIRD, 'label'))], known({ [OWN]: null, [THIRD]: 'OTRA SPA' }))).toEqual([THIRD, 0.6]);
    expect(outcome([page('/', mention(OWN))], known({ [OWN]: null }))).toBe('not_named');
  });

  it('is not the maker of the site, however many pages credit it', () => {
    const signed = ['/', '/contacto', '/nosotros'].map((path) => page(path, mention(AGENCY, 'footer', true)));
    expect(outcome(signed)).toBe('not_named');
    expect(choose(signed).candidates).toMatchObject([{ company: { taxId: AGENCY }, confidence: 0.5 }]);
    expect(outcome([...signed, page('/legal', mention(OWN, 'label'))])).toEqual([OWN, 0.6]);
  });

  it('is the maker of the site when its name matches the domain', () => {
    expect(outcome([page('/', mention(OWN, 'footer', true))], known({ [OWN]: 'RENTOKIL INITIAL CHILE SPA' }))).toEqual([OWN, 0.7]);
  });

  it('is not taken from another domain that the site redirects to, unless its name matches', () => {
    const elsewhere = [{ ...page('/', mention(OWN)), url: 'https://parking.cl/' }];
    expect(outcome(elsewhere)).toBe('not_named');
    expect(outcome(elsewhere, known({ [OWN]: 'RENTOKIL INITIAL CHILE SPA' }))).toEqual([OWN, 0.95]);
  });

  it('is ambiguous when two companies weigh the same, and the heavier one when it leads clearly', () => {
    expect(outcome([page('/', mention(OWN), mention(THIRD))])).toBe('ambiguous');
    expect(outcome([page('/', mention(OWN, 'structured'), mention(THIRD))])).toBe('ambiguous');
    expect(outcome([page('/', mention(OWN), mention(THIRD, 'label'))])).toEqual([OWN, 0.8]);
    expect(outcome([page('/', mention(OWN), mention(THIRD))], known({ [OWN]: 'RENTOKIL SPA', [THIRD]: 'OTRA SPA' }))).toEqual([OWN, 0.95]);
  });

  it('may have branches, which count as one legal person', () => {
    const pages = [page('/', mention('11222333000181'), mention('11222333000262'))];
    expect(chooseOwner(pages, 'rentokil.cl', 'BR', new Map()).company).toEqual({ country: 'BR', taxId: '11222333000181' });
  });

  it('is null when no page has a tax id', () => {
    expect(choose([page('/')])).toEqual({ company: null, confidence: 0, evidence: null, candidates: [], reason: 'not_named' });
  });

  it('is one of the five likeliest candidates', () => {
    const many = ['763339807', '763718646', '763609030', '965057609', '779167089', '670000012'].map((id, i) =>
      mention(id, i === 5 ? 'structured' : 'label'),
    );
    const ids = taxIdsToLookUp([page('/', ...many)], 'rentokil.cl', 'CL');
    expect(ids).toHaveLength(5);
    expect(ids[0]).toBe('670000012');
  });
});

describe('a registered name', () => {
  const speaks = (name: string, label: string, ...titles: readonly string[]) => matchesName(name, { label, titles });

  it.each([
    ['PANADERIA LA MARRAQUETA SPA', 'la-marraqueta'],
    ['RENTOKIL INITIAL CHILE SPA', 'rentokil'],
    ['VIÑA ÑANDÚ S.A.', 'viñañandu'],
    ['MINERA PICO DE ORO S.A.', 'picodeoro'],
    ['BANCO DE CREDITO E INVERSIONES', 'bci'],
    ['EMPRESA NACIONAL DEL PETROLEO', 'enp'],
    ['3M CHILE S.A.', '3mchile'],
  ])('%s matches the domain %s', (name, label) => {
    expect(speaks(name, label)).toBe(true);
  });

  it.each([
    ['AGENCIA WEB PIXEL CHILENO LTDA', 'agenciadeviajes'],
    ['PANADERIA LA MARRAQUETA SPA', 'pizzeria'],
    ['COMERCIAL S.P.A.', 'spa-relax'],
    ['', 'rentokil'],
    ['RENTOKIL SPA', ''],
  ])('%s does not match the domain %s', (name, label) => {
    expect(speaks(name, label)).toBe(false);
  });

  it('matches a page title that has half of it', () => {
    expect(speaks('PANADERIA LA MARRAQUETA SPA', 'pan', 'La Marraqueta, pan de cada día')).toBe(true);
    expect(speaks('PANADERIA LA MARRAQUETA SPA', 'pan', 'Panadería')).toBe(false);
    expect(speaks('SPA', 'pan', 'SpA')).toBe(false);
  });
});
