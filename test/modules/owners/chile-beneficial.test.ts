import { expect, it } from 'vitest';
import { chileanBeneficialOwners } from '../../../src/modules/owners/domain/chile-beneficial.ts';
import { declaredShare } from '../../../src/modules/owners/domain/share.ts';

const COMPANY = '769000143';
const [ONE, OTHER, TOP, ABOVE] = ['769000011', '769000283', '779000354', '779000001'];

/** Returns the shares of people who own a part of a company, which is TOP or owns 60 % of it. TOP owns the company through two others. */
function sharesOfPeople(one: string, other: string, percent: string, of: string): readonly (string | null)[] {
  const node = (taxId: string, depth: number) => {
    return { taxId, name: null, depth, relation: depth === 0 ? ('self' as const) : ('owner' as const) };
  };
  const edge = (owner: string, owned: string, percent: string) => {
    return { owner, owned, role: 'Socio', since: null, share: declaredShare(percent, null) };
  };
  const up = {
    nodes: [node(COMPANY, 0), node(ONE, 1), node(OTHER, 1), node(TOP, 2), node(ABOVE, 3)],
    edges: [edge(ONE, COMPANY, one), edge(OTHER, COMPANY, other), edge(TOP, ONE, '100'), edge(TOP, OTHER, '100'), edge(ABOVE, TOP, '60')],
    complete: true,
    notSeen: [],
  };
  const people = new Map([[of, { people: { share: percent }, isComplete: true }]]);
  return chileanBeneficialOwners(up, people, { asOf: null, role: 'Socio' }).owners.map(({ share }) => share.percent);
}

it.each([
  ['add up along both paths', '60', '39.5', '100', TOP, '99.5'],
  ['are 100 % after rounding', '60.2', '40', '100', TOP, '100'],
  ['are multiplied further', '60', '40', '50', ABOVE, '30'],
  ['are not known if the shares along the paths are more than all of the capital', '80', '80', '100', TOP, null],
  [
    'are not known if their company would own more than all of the capital, also if they own a part of it only',
    '80',
    '80',
    '60',
    TOP,
    null,
  ],
  ['are not known above such a company', '80', '80', '100', ABOVE, null],
])('The shares of people %s.', (_, one, other, ofCompany, company, percent) => {
  expect(sharesOfPeople(one, other, ofCompany, company)).toEqual([percent]);
});
