import { expect, it } from 'vitest';
import { chileanBeneficialOwners } from '../../../src/modules/owners/domain/chile-beneficial.ts';
import { declaredShare } from '../../../src/modules/owners/domain/share.ts';

const COMPANY = '769000143';
const [ONE, OTHER, TOP, ABOVE] = ['769000011', '769000283', '779000354', '779000001'];

const node = (taxId: string, depth: number) => {
  return { taxId, name: null, depth, relation: depth === 0 ? ('self' as const) : ('owner' as const) };
};
const edge = (owner: string, owned: string, percent: string) => {
  return { owner, owned, role: 'Socio', since: null, share: declaredShare(percent, null) };
};

/** Returns the shares of the people of companies above a company. @param people their shares in the companies */
function sharesOf(nodes: readonly string[], edges: readonly ReturnType<typeof edge>[], people: Readonly<Record<string, string>>) {
  const up = { nodes: nodes.map(node), edges, complete: true, notSeen: [] };
  const peopleOf = new Map(Object.entries(people).map(([of, share]) => [of, { people: { share }, isComplete: true }]));
  return chileanBeneficialOwners(up, peopleOf, { asOf: null, role: 'Socio' }).owners.map(({ share }) => share.percent);
}

/** Returns the shares of people who own a part of a company, which is TOP or owns 60 % of it. TOP owns the company through two others. */
function sharesOfPeople(one: string, other: string, percent: string, of: string): readonly (string | null)[] {
  const above = of === ABOVE ? [edge(ABOVE, TOP, '60')] : [];
  const edges = [edge(ONE, COMPANY, one), edge(OTHER, COMPANY, other), edge(TOP, ONE, '100'), edge(TOP, OTHER, '100'), ...above];
  return sharesOf([COMPANY, ONE, OTHER, TOP, ABOVE], edges, { [of]: percent });
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

it('The shares of people are not known through a company whose owners have more than all of its capital together.', () => {
  const edges = [edge(ONE, COMPANY, '100'), edge(OTHER, COMPANY, '100')];
  expect(sharesOf([COMPANY, ONE, OTHER], edges, { [ONE]: '100', [OTHER]: '50' })).toEqual([null, null]);
  const above = [edge(ONE, COMPANY, '100'), edge(OTHER, ONE, '80')];
  expect(sharesOf([COMPANY, ONE, OTHER], above, { [ONE]: '80', [OTHER]: '100' })).toEqual([null, null]);
  expect(sharesOf([COMPANY, ONE], [edge(ONE, COMPANY, '80')], { [COMPANY]: '80', [ONE]: '100' })).toEqual(['80', null]);
});
