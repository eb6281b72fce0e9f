import { describe, expect, it } from 'vitest';
import type { RegistrationStatus } from '../../../src/domain/company.ts';
import { CHECKS } from '../../../src/domain/compliance.ts';
import { assessRisk, completeness, reasonText, type Seen } from '../../../src/modules/compliance/domain.ts';
import type { Debarment } from '../../../src/modules/debarment/domain.ts';
import { DEBARMENT_LISTS } from '../../../src/modules/debarment/domain.ts';
import type { TaxKyb } from '../../../src/modules/kyb/domain.ts';
import type { Labor } from '../../../src/modules/labor/domain.ts';
import { type DeclaredOwners, NO_DECLARED_OWNERS } from '../../../src/modules/owners/domain/declared.ts';
import type { Sanctions } from '../../../src/modules/sanctions/domain.ts';
import { BLOCKED, SANCTIONS_LISTS } from '../../../src/modules/sanctions/domain.ts';
import type { TaxHealth } from '../../../src/modules/tax-health/domain.ts';

const kyb = (status: RegistrationStatus): TaxKyb => ({
  companyName: 'ACME LTDA',
  status,
  verified: status === 'active',
  foundedYear: 2001,
  endDate: null,
  registration: status === 'active' ? 'ATIVA' : 'INAPTA',
  isBranch: false,
  specialSituation: null,
  absence: null,
  lastRenewedYear: null,
  notRenewedSince: null,
  renewalsMissed: null,
  source: 'receita_federal',
  mirror: 'minha_receita',
});
const sanctions = (found: boolean): Sanctions => ({
  isSanctioned: found,
  matches: found
    ? [
        {
          id: 'a match',
          list: 'OFAC_SDN',
          entityId: '1',
          entryName: 'ACME LTDA',
          matchedOn: 'tax_id',
          matchedIdType: 'Tax ID No.',
          matchedIdValue: '1',
          programs: [],
          ...BLOCKED,
        },
      ]
    : [],
  sourcesChecked: SANCTIONS_LISTS,
  lists: [],
});
const debarment = (found: boolean): Debarment => ({
  isDebarred: found,
  records: found
    ? [
        {
          id: 'a record',
          source: 'CEIS',
          sanctionType: 'SUSPENSÃO',
          sanctioningBody: 'PREFEITURA',
          dateStart: '2024-01-01',
          dateEnd: null,
          processId: null,
          fineAmount: null,
          status: 'active',
          matchedOn: 'cnpj',
          cnpj: '11222333000181',
        },
      ]
    : [],
  sourcesChecked: DEBARMENT_LISTS,
  lists: [],
});
const labor = (found: boolean): Labor => ({
  hasViolations: found,
  records: found
    ? [
        {
          id: 'a record',
          source: 'TRABALHO_ESCRAVO',
          employer: 'ACME LTDA',
          year: 2023,
          workersRescued: 12,
          state: 'MG',
          municipality: null,
          activity: '0134-2/00',
          decisionId: null,
          establishment: null,
          listedOn: '2024-10-07',
          removedOn: null,
          status: 'active',
          matchedOn: 'cnpj',
        },
      ]
    : [],
  sourcesChecked: ['TRABALHO_ESCRAVO'],
  lists: [],
});
const owners: Seen['owners'] = { companyName: 'ACME LTDA', owners: [], source: 'receita_federal', mirror: 'minha_receita' };

const found = [true, false, null] as const;
const registrationStatuses = ['active', 'inactive', 'not_found', null] as const;

/** Every combination of signals and failures: 3 × 3 × 3 × 4 × 2. */
const combinations = found.flatMap((s) =>
  found.flatMap((l) => found.flatMap((d) => registrationStatuses.flatMap((k) => [true, false].map((o) => ({ s, l, d, k, o }))))),
);

/** The rules of the contract, implemented independently from its table. */
function expectedLevel({ s, l, d, k }: (typeof combinations)[number]): string {
  if (s === true || l === true) return 'high';
  if (d === true || k === 'inactive' || k === 'not_found') return 'medium';
  return 'low';
}

const seenOf = ({ s, l, d, k, o }: (typeof combinations)[number]): Seen => ({
  kyb: k === null ? null : kyb(k),
  sanctions: s === null ? null : sanctions(s),
  debarment: d === null ? null : debarment(d),
  labor: l === null ? null : labor(l),
  owners: o ? owners : null,
  tax_health: null,
  contract_fines: null,
  taxDebt: null,
  kybAsOf: null,
});

describe('the risk level', () => {
  it.each(combinations)('follows the rules for sanctions $s, labour $l, debarment $d, registration $k, owners $o', (combination) => {
    const { level, reasons } = assessRisk('BR', seenOf(combination));
    expect(level).toBe(expectedLevel(combination));
    const { s, l, d, k } = combination;
    const triggered = [s && 'sanctions', l && 'labor', d && 'debarment', (k === 'inactive' || k === 'not_found') && 'kyb'].filter(Boolean);
    expect(reasons.map(({ check }) => check)).toEqual(triggered);
  });

  it.each(combinations)('says how much was seen for sanctions $s, labour $l, debarment $d, registration $k, owners $o', (combination) => {
    const failed = [combination.s, combination.l, combination.d, combination.k, combination.o || null].filter((one) => one === null).length;
    const expected = failed === CHECKS.length ? 'insufficient' : failed > 0 ? 'partial' : 'complete';
    expect(completeness('BR', seenOf(combination))).toBe(expected);
  });

  it('is partial when one list has a finding and the other was not read', () => {
    const seen = seenOf({ s: false, l: false, d: true, k: 'active', o: true });
    expect(completeness('BR', { ...seen, debarment: { ...debarment(true), sourcesChecked: ['CEIS'] } })).toBe('partial');
  });
});

describe('a risk reason', () => {
  it('is written as check, code and sentence, in the order sanctions, labour, debarment, registration', () => {
    const { reasons } = assessRisk('BR', seenOf({ s: true, l: true, d: true, k: 'inactive', o: true }));
    expect(reasons.map(reasonText)).toEqual([
      'sanctions.match: 1 match on OFAC_SDN (ACME LTDA)',
      'labor.listed: 1 record on TRABALHO_ESCRAVO (ACME LTDA, 2023, active)',
      'debarment.record: 1 record on CEIS (SUSPENSÃO by PREFEITURA, active)',
      'kyb.inactive: The registration is not active (INAPTA).',
    ]);
  });

  it('names at most three findings', () => {
    const four = { ...debarment(true), records: Array.from({ length: 4 }, () => debarment(true).records).flat() };
    const { reasons } = assessRisk('BR', { ...seenOf({ s: false, l: false, d: true, k: 'active', o: true }), debarment: four });
    expect(reasons[0]?.message).toMatch(/^4 records on CEIS \(([^;]+; ){3}…\)$/);
  });

  it('reports an unknown company as not found in the registry', () => {
    const { level, reasons } = assessRisk('BR', seenOf({ s: false, l: false, d: false, k: 'not_found', o: true }));
    expect([level, reasons.map(reasonText)]).toEqual(['medium', ['kyb.not_found: The tax registry has no company with this CNPJ.']]);
  });
});

describe('the risk level of a Chilean company', () => {
  const taxHealth = (debtor: boolean | null): TaxHealth => ({
    companyName: 'ACME SPA',
    status: 'active',
    taxDebtor: debtor,
    taxDebtAmount: debtor ? 1_250_000 : null,
    taxDebtAsOf: null,
    debtorsChecked: debtor !== null,
    debtorsAsOf: null,
    companyAgeYears: 3,
    deregisteredAt: null,
    revenueTier: null,
    salesBracket: null,
    riskSignals: [],
    source: 'sii',
  });
  const chileanKyb = (status: RegistrationStatus): TaxKyb => ({
    ...kyb(status),
    registration: 'TERMINO DE GIRO',
    source: 'sii',
    mirror: null,
  });
  const chileanOwners = (status: DeclaredOwners['composition']['status']): DeclaredOwners => ({
    ...NO_DECLARED_OWNERS,
    composition: { ...NO_DECLARED_OWNERS.composition, status },
  });
  const nothing = {
    kyb: null,
    sanctions: null,
    debarment: null,
    labor: null,
    owners: null,
    tax_health: null,
    contract_fines: null,
    taxDebt: null,
    kybAsOf: null,
  } as const;
  const debts = [true, false, null, 'failed'] as const;
  const cases = found.flatMap((s) => debts.flatMap((t) => registrationStatuses.map((k) => ({ s, t, k }))));
  const seen = ({ s, t, k }: (typeof cases)[number]): Seen => ({
    ...nothing,
    owners: chileanOwners('published'),
    kyb: k === null ? null : chileanKyb(k),
    sanctions: s === null ? null : sanctions(s),
    tax_health: t === 'failed' ? null : taxHealth(t),
    taxDebt: typeof t === 'boolean' ? { owed: t, amount: t ? 1_250_000 : null, asOf: null } : null,
  });

  it.each(cases)(
    'is high for sanctions, medium for a tax debt or no active registration: sanctions $s, debt $t, registration $k',
    (one) => {
      const isMedium = one.t === true || one.k === 'inactive' || one.k === 'not_found';
      expect(assessRisk('CL', seen(one)).level).toBe(one.s === true ? 'high' : isMedium ? 'medium' : 'low');
    },
  );

  it.each(cases)('is complete only with every check and a list of debtors: sanctions $s, debt $t, registration $k', (one) => {
    const failed = [one.s === null, one.k === null, one.t === 'failed'].filter(Boolean).length;
    const expected = failed > 0 || one.t === null ? 'partial' : 'complete';
    expect(completeness('CL', seen(one))).toBe(expected);
    const withoutOwners = failed === 3 ? 'insufficient' : 'partial';
    expect(completeness('CL', { ...seen(one), owners: null })).toBe(withoutOwners);
  });

  it.each([
    ['published', 'complete'],
    ['not_published', 'complete'],
    ['unread', 'partial'],
  ] as const)('with owners that are %s is %s, and low', (status, expected) => {
    const one = { ...seen({ s: false, t: false, k: 'active' }), owners: chileanOwners(status) };
    expect([completeness('CL', one), assessRisk('CL', one).level]).toEqual([expected, 'low']);
  });

  it('has its reasons in words', () => {
    const { reasons } = assessRisk('CL', seen({ s: true, t: true, k: 'inactive' }));
    expect(reasons.map(reasonText)).toEqual([
      'sanctions.match: 1 match on OFAC_SDN (ACME LTDA)',
      'tax_health.tax_debtor: The company is on the list of tax debtors (CLP 1250000).',
      'kyb.inactive: The registration is not active (TERMINO DE GIRO).',
    ]);
    const unknown = assessRisk('CL', seen({ s: false, t: false, k: 'not_found' }));
    expect(unknown.reasons.map(reasonText)).toEqual(['kyb.not_found: The tax registry has no company with this RUT.']);
  });
});
