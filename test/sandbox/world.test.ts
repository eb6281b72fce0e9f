import { describe, expect, it } from 'vitest';
import { cnpjRoot, readCnpj } from '../../src/domain/cnpj.ts';
import { readNit } from '../../src/domain/nit.ts';
import { readRut } from '../../src/domain/rut.ts';
import { neighbourByStory, neighbours } from '../../src/sandbox/world/brazil/neighbours.ts';
import { madeUpCpf, personName } from '../../src/sandbox/world/brazil/people.ts';
import { companies, companyByCnpj, companyByStory, STORIES } from '../../src/sandbox/world/brazil/world.ts';

const ownersOf = (story: string) =>
  (companyByStory(story).partners ?? []).filter(({ kind }) => kind === 1).map(({ document }) => companyByCnpj(document)?.story);

describe('the made-up world', () => {
  it('has at least 66 companies, each with a story of its own', () => {
    expect(companies.length).toBeGreaterThanOrEqual(66);
    expect(new Set(STORIES).size).toBe(companies.length);
    expect(new Set(companies.map(({ cnpj }) => cnpj)).size).toBe(companies.length);
  });

  it('gives every company a valid CNPJ of a root that begins with 99', () => {
    expect(companies.filter(({ cnpj }) => readCnpj(cnpj) !== cnpj || !cnpj.startsWith('99'))).toEqual([]);
  });

  it('knows the company of every story, and says so where there is none', () => {
    expect(STORIES.map((story) => companyByStory(story).story)).toEqual(STORIES);
    expect(() => companyByStory('once-upon-a-time')).toThrow('no such story: once-upon-a-time');
    expect(() => neighbourByStory('once-upon-a-time')).toThrow('no such story');
  });

  it('has a company of every standing', () => {
    expect(new Set(companies.map(({ status }) => status))).toEqual(new Set([1, 2, 3, 4, 8]));
  });

  it('owns companies by companies that exist in it', () => {
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

  it('has a branch beside its head office wherever a story speaks of both', () => {
    for (const [branch, head] of [
      ['clean-branch', 'clean'],
      ['debarred-root-branch', 'debarred-root'],
      ['sanctioned-root', 'sanctioned'],
      ['alphanumeric-branch', 'alphanumeric'],
      ['alphanumeric-order', 'alphanumeric-order-head'],
    ] as const) {
      expect(cnpjRoot(companyByStory(branch).cnpj)).toBe(cnpjRoot(companyByStory(head).cnpj));
      expect([companyByStory(branch).isBranch, companyByStory(head).isBranch]).toEqual([true, false]);
    }
  });

  it('has letters in a root and, with a root of digits, in an order alone', () => {
    expect(cnpjRoot(companyByStory('alphanumeric').cnpj)).toMatch(/[A-Z]/);
    expect(companyByStory('alphanumeric-order').cnpj).toMatch(/^\d{8}00A1\d{2}$/);
  });

  it('has a neighbour in Chile whose RUT is the nine digits of a listed Colombian NIT', () => {
    expect(neighbours.filter(({ country, taxId }) => (country === 'CO' ? readNit(taxId) : readRut(taxId)) !== taxId)).toEqual([]);
    expect(neighbourByStory('co-sanctioned-shared').taxId.slice(0, 9)).toBe(neighbourByStory('cl-same-digits').taxId);
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
