import { describe, expect, it } from 'vitest';
import { cnpjCheckDigits } from '../../../src/domain/check-digits.ts';
import type { DerivedLoader, Load } from '../../../src/loaders/loader.ts';
import type { OwnershipGraph } from '../../../src/modules/owners/domain/graph.ts';
import type { Owner, Owners } from '../../../src/modules/owners/domain.ts';
import { toOwner } from '../../../src/modules/owners/loader.ts';
import { type OwnershipGraphKey, ownershipGraphLoader } from '../../../src/modules/owners/loaders/upwards.ts';

const cnpjOf = (root: string, branch = '0001'): string => `${root}${branch}${cnpjCheckDigits(root + branch)}`;
const [A, B, C] = ['99100000', '99100001', '99100002'] as const;

const owner = (identifier: string | null, role = 'Sócio'): Owner => {
  const none = { country: null, legalRepName: null, legalRepRole: null };
  return { name: 'OUTRA LTDA', role, entityType: 'company', identifier, entryDate: '2015-06-01', ...none };
};
const owned = (owners: readonly Owner[]): Owners => ({
  ...{ companyName: 'EXEMPLO LTDA', owners },
  ...{ source: 'receita_federal', mirror: 'minha_receita' },
});
const ownedBy = (...cnpjs: readonly string[]): Owners => owned(cnpjs.map((cnpj) => owner(cnpj)));

const above = ownershipGraphLoader as DerivedLoader<OwnershipGraphKey, OwnershipGraph | null>;

/** CNPJs whose owners the last graph has requested. */
const requested = new Set<string>();

/** Returns the graph above a company from the owners of each company, by CNPJ. @param headOffices those of an own copy, by root */
async function graphOf(taxId: string, owners: Readonly<Record<string, Owners>>, headOffices: Readonly<Record<string, string>> = {}) {
  requested.clear();
  const freshness = { fetchedAt: 0, expiresAt: 0, dataAsOf: null, cached: false, stale: false };
  const answerTo = (key: string | { readonly taxId: string }) =>
    typeof key === 'string' ? (headOffices[key] === undefined ? null : { cnpj: headOffices[key] }) : (owners[key.taxId] ?? null);
  const load = (async (_: unknown, key: string | { readonly taxId: string }) => {
    if (typeof key !== 'string') requested.add(key.taxId);
    return { value: answerTo(key), freshness };
  }) as unknown as Load;
  const { value } = await above.answer({ company: { country: 'BR', taxId }, depth: 10 }, load, {} as never);
  const { nodes = [], edges = [], notSeen } = value ?? {};
  return { nodes: nodes.map((node) => node.taxId), edges: edges.map((edge) => [edge.owner, edge.owned]), notSeen };
}

describe('the companies above a company', () => {
  it('have the requested branch in place of its head office where the owners form a cycle', async () => {
    const branch = cnpjOf(A, '0002');
    const owners = { [branch]: ownedBy(cnpjOf(B)), [cnpjOf(B)]: ownedBy(cnpjOf(A)), [cnpjOf(A)]: ownedBy(cnpjOf(B)) };
    expect(await graphOf(branch, owners)).toMatchObject({
      nodes: [branch, cnpjOf(B)],
      edges: [
        [cnpjOf(B), branch],
        [branch, cnpjOf(B)],
      ],
    });
  });

  it('have an owner once that records name by the CNPJs of its head office and of a branch', async () => {
    const owners = { [cnpjOf(A)]: ownedBy(cnpjOf(B), cnpjOf(C)), [cnpjOf(B)]: ownedBy(cnpjOf(C, '0003')), [cnpjOf(C)]: ownedBy() };
    expect((await graphOf(cnpjOf(A), owners)).nodes).toEqual([cnpjOf(A), cnpjOf(B), cnpjOf(C)]);
  });

  it('are walked from the head office of an owner that a record names by a branch, which the registry may have lost', async () => {
    const owners = {
      [cnpjOf(A)]: ownedBy(cnpjOf(B, '0003')),
      [cnpjOf(B)]: ownedBy(cnpjOf(C, '0002'), cnpjOf(A, '0002')),
      [cnpjOf(C, '0002')]: ownedBy(),
    };
    expect(await graphOf(cnpjOf(A), owners)).toEqual({
      nodes: [cnpjOf(A), cnpjOf(B), cnpjOf(C, '0002')], // the last one has no record of its first establishment
      edges: [
        [cnpjOf(B), cnpjOf(A)],
        [cnpjOf(C, '0002'), cnpjOf(B)],
        [cnpjOf(A), cnpjOf(B)],
      ],
      notSeen: [],
    });
  });

  it('have the head office that the own copy names', async () => {
    const owners = { [cnpjOf(A)]: ownedBy(cnpjOf(B, '0003')), [cnpjOf(B, '0002')]: ownedBy(), [cnpjOf(B)]: ownedBy() };
    const found = await graphOf(cnpjOf(A), owners, { [B]: cnpjOf(B, '0002') });
    expect(found.nodes).toEqual([cnpjOf(A), cnpjOf(B, '0002')]);
  });

  it('are not looked up by their branches beyond the size limit', async () => {
    const branches = Array.from({ length: 300 }, (_, i) => cnpjOf(String(10_000_000 + i), '0002'));
    const { nodes, notSeen } = await graphOf(cnpjOf(A), { [cnpjOf(A)]: ownedBy(...branches) });
    expect([nodes.length, requested.size]).toEqual([200, 1 + 199 + 199]); // the company, head offices without a record, and branches
    expect(notSeen).toContainEqual({ reason: 'node_limit', count: 101, companies: [] });
  });

  it('lack a foreign owner that the registry calls domiciled abroad, also without the name of its country', async () => {
    const owners = [owner(null, 'Sócio Pessoa Jurídica Domiciliado no Exterior'), owner(null)];
    expect((await graphOf(cnpjOf(A), { [cnpjOf(A)]: owned(owners) })).notSeen).toEqual([
      { reason: 'foreign_owner', count: 1, companies: [cnpjOf(A)] },
      { reason: 'not_in_registry', count: 1, companies: [cnpjOf(A)] },
    ]);
  });

  it('have one edge for rows that are equal', async () => {
    const owners = { [cnpjOf(A)]: ownedBy(cnpjOf(B), cnpjOf(B)), [cnpjOf(B)]: ownedBy() };
    expect((await graphOf(cnpjOf(A), owners)).edges).toEqual([[cnpjOf(B), cnpjOf(A)]]);
  });
});

describe('an owner with a CNPJ', () => {
  it.each(['company', 'foreign', 'person'] as const)('is a company if the registry calls it %s', (kind) => {
    const facts = {
      name: 'OUTRA LTDA',
      roleCode: 22,
      role: 'Sócio',
      entryDate: null,
      country: null,
      legalRepName: null,
      legalRepRole: null,
    };
    expect(toOwner({ kind, document: cnpjOf(B), ...facts })).toMatchObject({ entityType: 'company', identifier: cnpjOf(B) });
    expect(toOwner({ kind, document: '***123456**', ...facts }).entityType).toBe(kind === 'company' ? 'company' : 'individual');
  });
});
