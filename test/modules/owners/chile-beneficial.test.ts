import { expect, it } from 'vitest';
import { chileanBeneficialOwners } from '../../../src/modules/owners/domain/chile-beneficial.ts';
import { declaredShare } from '../../../src/modules/owners/domain/share.ts';

const COMPANY = '769000143';
const [ONE, OTHER, TOP] = ['769000011', '769000283', '779000354'];

/** Returns the shares of people who own a part of TOP, which owns the company through two others. */
function sharesOfPeople(one: string, other: string, ofTop: string): readonly (string | null)[] {
  const node = (taxId: string, depth: number) => {
    return { taxId, name: null, depth, relation: depth === 0 ? ('self' as const) : ('owner' as const) };
  };
  const edge = (owner: string, owned: string, percent: string) => {
    return { owner, owned, role: 'Socio', since: null, share: declaredShare(percent, null) };
  };
  const up = {
    nodes: [node(COMPANY, 0), node(ONE, 1), node(OTHER, 1), node(TOP, 2)],
    edges: [edge(ONE, COMPANY, one), edge(OTHER, COMPANY, other), edge(TOP, ONE, '100'), edge(TOP, OTHER, '100')],
    complete: true,
    notSeen: [],
  };
  const people = new Map([[TOP, { people: { share: ofTop }, isComplete: true }]]);
  return chileanBeneficialOwners(up, people, { asOf: null, role: 'Socio' }).owners.map(({ share }) => share.percent);
}

it.each([
  ['add up along both paths', '60', '39.5', '100', '99.5'],
  ['are 100 % after rounding', '60.2', '40', '100', '100'],
  ['are not known if the shares along the paths are more than all of the capital', '80', '80', '100', null],
  ['are not known if their company would own more than all of the capital, also if they own a part of it only', '80', '80', '60', null],
])('The shares of people %s.', (_, one, other, ofTop, percent) => {
  expect(sharesOfPeople(one, other, ofTop)).toEqual([percent]);
});
