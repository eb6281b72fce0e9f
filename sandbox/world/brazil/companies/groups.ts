import { type CompanyPlan, companyOwner, establishment, person, type SandboxCompany } from '../company.ts';

/** A group of three levels below the debarred company `debarred-both`, and a company that is linked to it by a person alone. */
const plans: readonly CompanyPlan[] = [
  {
    scenario: 'group-middle',
    root: '99041001',
    name: 'ANDAR DO MEIO PARTICIPACOES LTDA',
    activity: '6462000',
    partners: [companyOwner('99030006', 'DOBRADINHA CONTRATOS LTDA'), person(81, 5)],
    note: 'Owned by `debarred-both`; owns `group-leaf` and `group-closed`.',
  },
  {
    scenario: 'group-middle-branch',
    root: '99041001',
    order: '0002',
    name: 'ANDAR DO MEIO PARTICIPACOES LTDA',
    tradeName: 'MEIO ANDAR',
    activity: '6462000',
    place: 'MANAUS',
    openedOn: '2018-02-01',
    partners: [companyOwner('99030006', 'DOBRADINHA CONTRATOS LTDA'), person(81, 5)],
    note: 'A branch of `group-middle`.',
  },
  {
    scenario: 'group-middle-closed-branch',
    root: '99041001',
    order: '0003',
    name: 'ANDAR DO MEIO PARTICIPACOES LTDA',
    activity: '6462000',
    place: 'CUIABA',
    openedOn: '2016-05-02',
    status: 8,
    statusSince: '2020-10-10',
    reason: 1,
    partners: [companyOwner('99030006', 'DOBRADINHA CONTRATOS LTDA'), person(81, 5)],
    note: 'A closed branch of `group-middle`.',
  },
  {
    scenario: 'group-leaf',
    root: '99041002',
    name: 'ANDAR DE BAIXO SERVICOS LTDA',
    partners: [companyOwner('99041001', 'ANDAR DO MEIO PARTICIPACOES LTDA'), person(82)],
    note: 'Owned by `group-middle` and a person who is also a partner of `group-neighbour`; owns `group-cellar`.',
  },
  {
    scenario: 'group-closed',
    root: '99041003',
    name: 'ANDAR INTERDITADO LTDA',
    status: 8,
    statusSince: '2021-03-31',
    reason: 1,
    partners: [companyOwner('99041001', 'ANDAR DO MEIO PARTICIPACOES LTDA', 22, '2016-01-04')],
    note: 'Closed; `group-middle` is its only partner.',
  },
  {
    scenario: 'group-cellar',
    root: '99041004',
    name: 'SUBSOLO DEPOSITOS LTDA',
    partners: [companyOwner('99041002', 'ANDAR DE BAIXO SERVICOS LTDA'), person(83)],
    note: 'Owned by `group-leaf`: three levels below the debarred `debarred-both`.',
  },
  {
    scenario: 'group-neighbour',
    root: '99041005',
    name: 'CASA DO LADO COMERCIO LTDA',
    partners: [person(82, 49, '2019-07-01'), person(84, 22)],
    note: 'Shares a partner with `group-leaf`, and no company.',
  },
];

export const groups: readonly SandboxCompany[] = plans.map(establishment);
