import { describe, expect, it } from 'vitest';
import { madeUpCpf, personName } from '../../sandbox/world/brazil/company.ts';
import { companies, companyByCnpj, companyByScenario, SCENARIOS } from '../../sandbox/world/brazil/world.ts';
import { foreignCompanies, foreignCompanyByScenario } from '../../sandbox/world/foreign-companies.ts';
import { cnpjRoot, readCnpj, readNit, readRut } from '../../src/domain/tax-id.ts';

const ownersOf = (scenario: string) =>
  (companyByScenario(scenario).partners ?? []).filter(({ kind }) => kind === 1).map(({ document }) => companyByCnpj(document)?.scenario);

describe('the made-up world', () => {
  it('has at least 66 companies, each with a scenario of its own', () => {
    expect(companies.length).toBeGreaterThanOrEqual(66);
    expect(new Set(SCENARIOS).size).toBe(companies.length);
    expect(new Set(companies.map(({ cnpj }) => cnpj)).size).toBe(companies.length);
  });

  it('gives every company a valid CNPJ of a root that begins with 99', () => {
    expect(companies.filter(({ cnpj }) => readCnpj(cnpj) !== cnpj || !cnpj.startsWith('99'))).toEqual([]);
  });

  it('finds the company of every scenario and throws for an unknown scenario', () => {
    expect(SCENARIOS.map((scenario) => companyByScenario(scenario).scenario)).toEqual(SCENARIOS);
    expect(() => companyByScenario('once-upon-a-time')).toThrow('no such scenario: once-upon-a-time');
    expect(() => foreignCompanyByScenario('once-upon-a-time')).toThrow('no such scenario');
  });

  it('has a company of every status', () => {
    expect(new Set(companies.map(({ status }) => status))).toEqual(new Set([1, 2, 3, 4, 5, 8]));
  });

  it('contains the companies that own other companies', () => {
    const owners = companies.flatMap(({ partners }) => partners ?? []).filter(({ kind }) => kind === 1);
    expect(owners.length).toBeGreaterThan(8);
    expect(owners.filter(({ document, name }) => companyByCnpj(document)?.name !== name)).toEqual([]);
  });

  it('has a chain of three levels of owners that ends in people', () => {
    expect(ownersOf('owners-level-1')).toEqual(['owners-level-2']);
    expect(ownersOf('owners-level-2')).toEqual(['owners-level-3']);
    expect(ownersOf('owners-level-3')).toEqual(['owners-top']);
    expect(ownersOf('owners-top')).toEqual([]);
  });

  it('has a circle of three owners, and a company that owns itself', () => {
    expect(['owners-cycle-a', 'owners-cycle-c', 'owners-cycle-b'].map(ownersOf)).toEqual([
      ['owners-cycle-c'],
      ['owners-cycle-b'],
      ['owners-cycle-a'],
    ]);
    expect(ownersOf('owners-self')).toEqual(['owners-self']);
  });

  it('has a branch beside its head office wherever a scenario speaks of both', () => {
    for (const [branch, head] of [
      ['clean-branch', 'clean'],
      ['debarred-root-branch', 'debarred-root'],
      ['sanctioned-root', 'sanctioned'],
      ['alphanumeric-branch', 'alphanumeric'],
      ['alphanumeric-order', 'alphanumeric-order-head'],
    ] as const) {
      expect(cnpjRoot(companyByScenario(branch).cnpj)).toBe(cnpjRoot(companyByScenario(head).cnpj));
      expect([companyByScenario(branch).isBranch, companyByScenario(head).isBranch]).toEqual([true, false]);
    }
  });

  it('has letters in a root and, with a root of digits, in an order alone', () => {
    expect(cnpjRoot(companyByScenario('alphanumeric').cnpj)).toMatch(/[A-Z]/);
    expect(companyByScenario('alphanumeric-order').cnpj).toMatch(/^\d{8}00A1\d{2}$/);
  });

  it('has a neighbour in Chile whose RUT is the nine digits of a listed Colombian NIT', () => {
    expect(foreignCompanies.filter(({ country, taxId }) => (country === 'CO' ? readNit(taxId) : readRut(taxId)) !== taxId)).toEqual([]);
    expect(foreignCompanyByScenario('co-sanctioned-shared').taxId.slice(0, 9)).toBe(foreignCompanyByScenario('cl-same-digits').taxId);
  });
});

describe('made-up people', () => {
  it('have CPFs with right check digits, all of them beginning with 000', () => {
    // 111.444.777-35 is the example that textbooks use.
    expect(madeUpCpf(111_444_777)).toBe('11144477735');
    expect([1, 101, 501].map(madeUpCpf)).toEqual(['00000000191', '00000010154', '00000050105']);
  });

  it('have a name each, the same wherever they appear', () => {
    expect(new Set(Array.from({ length: 91 }, (_, i) => personName(i))).size).toBe(91);
    expect(personName(7)).toBe(personName(7));
  });
});
