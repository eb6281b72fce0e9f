import { describe, expect, it } from 'vitest';
import { foundedOn, statusOf, type Taxpayer } from '../../src/loaders/taxpayer.ts';
import type { ReceitaCompany } from '../../src/sources/receita-federal/company.ts';
import { detailsOf } from '../../src/sources/receita-federal/read-details.ts';
import type { SiiCompany } from '../../src/sources/sii/sii.ts';

const chilean: SiiCompany = {
  rut: '767955618',
  name: 'FICTICIA SPA',
  commercialYear: 2024,
  startedOn: '2014-05-12',
  firstRegisteredOn: '2014-06-01',
  endedOn: null,
  endKind: null,
  salesBracket: 6,
  workers: 8,
  activity: { code: '620200', description: 'CONSULTORIA' },
  region: 'RM',
  regionName: 'Metropolitana de Santiago',
  commune: 'PROVIDENCIA',
  kind: 'SOCIEDAD POR ACCIONES',
};
const brazilian: ReceitaCompany = {
  cnpj: '11222333000181',
  legalName: 'FICTICIA LTDA',
  tradeName: null,
  registration: 'ATIVA',
  registrationSince: '2005-11-03',
  openedOn: '2001-02-03',
  isBranch: false,
  specialSituation: null,
  activityCode: null,
  activity: null,
  nature: null,
  size: null,
  capital: null,
  isMei: false,
  state: null,
  municipality: null,
  partners: [],
  details: detailsOf({}, { nature: null, isPersonal: true }),
};
const inChile = (change: Partial<SiiCompany>): Taxpayer => ({ source: 'sii', record: { ...chilean, ...change } });
const inBrazil = (change: Partial<ReceitaCompany>): Taxpayer => ({
  source: 'receita_federal',
  record: { ...brazilian, ...change },
  mirror: 'minha_receita',
});
const nowhere: readonly Taxpayer[] = [
  { source: 'sii', record: null },
  { source: 'receita_federal', record: null, mirror: null },
];
const onlyNamed = { commercialYear: null, startedOn: null, firstRegisteredOn: null, activity: null, salesBracket: null, workers: null };

describe('the registration status of a taxpayer', () => {
  it.each([
    ['has activities', inChile({}), 'active'],
    ['ended them', inChile({ endedOn: '2024-03-31', endKind: 'TERMINO DE GIRO' }), 'inactive'],
    ['never started any', inChile(onlyNamed), 'inactive'],
    ['ended without a start', inChile({ ...onlyNamed, endedOn: '2024-03-31' }), 'inactive'],
    ['started after the newest yearly file', inChile({ ...onlyNamed, startedOn: '2026-04-02' }), 'active'],
    ['is in a yearly file, its start not stated', inChile({ ...onlyNamed, commercialYear: 2024 }), 'active'],
    ['is in the list of activities, its start not stated', inChile({ ...onlyNamed, activity: chilean.activity }), 'active'],
  ])('of a Chilean company that %s', (_, taxpayer, status) => {
    expect(statusOf(taxpayer)).toBe(status);
  });

  it.each([
    ['ATIVA', 'active'],
    ['ATIVA NÃO REGULAR', 'active'],
    ['SUSPENSA', 'inactive'],
    ['INAPTA', 'inactive'],
    ['BAIXADA', 'inactive'],
    ['NULA', 'inactive'],
  ] as const)('of a Brazilian company that is %s is %s', (registration, status) => {
    expect(statusOf(inBrazil({ registration }))).toBe(status);
  });

  it('of a company that its registry does not have', () => {
    expect(nowhere.map(statusOf)).toEqual(['not_found', 'not_found']);
  });
});

describe('the first registration of a taxpayer', () => {
  it.each([
    ['the start, where it came first', inChile({}), '2014-05-12'],
    ['the inscription, where that came first', inChile({ firstRegisteredOn: '1993-01-01' }), '1993-01-01'],
    ['the start alone', inChile({ firstRegisteredOn: null }), '2014-05-12'],
    ['the inscription alone', inChile({ startedOn: null }), '2014-06-01'],
    ['nothing', inChile(onlyNamed), null],
    ['the opening of the establishment', inBrazil({}), '2001-02-03'],
    ['nothing', inBrazil({ openedOn: null }), null],
  ])('is %s', (_, taxpayer, date) => {
    expect(foundedOn(taxpayer)).toBe(date);
  });

  it('is unknown for a company that its registry does not have', () => {
    expect(nowhere.map(foundedOn)).toEqual([null, null]);
  });
});
