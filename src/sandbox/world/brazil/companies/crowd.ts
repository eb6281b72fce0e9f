import { establishment, type SandboxCompany } from '../company.ts';
import { person } from '../people.ts';
import type { Activity, Place } from '../tables.ts';

/** More companies on no list, for questions about many: scenario, root, name, activity, place. */
const rows: readonly (readonly [string, string, string, Activity, Place])[] = [
  ['clean-coffee', '99010030', 'FAZENDA CAFE DESCAFEINADO LTDA', '0134200', 'BELO HORIZONTE'],
  ['clean-cattle', '99010031', 'GADO DE NUVEM AGROPECUARIA LTDA', '0151201', 'CUIABA'],
  ['clean-pharmacy', '99010032', 'FARMACIA DO PLACEBO LTDA', '4771701', 'SAO PAULO'],
  ['clean-hotel', '99010033', 'HOTEL QUARTO MINGUANTE LTDA', '5510801', 'RECIFE'],
  ['clean-school', '99010034', 'COLEGIO DO RECREIO ETERNO LTDA', '8520100', 'SAO PAULO'],
  ['clean-software', '99010035', 'ALGORITMOS DE DOMINGO LTDA', '6202300', 'PORTO ALEGRE'],
  ['clean-textile', '99010036', 'TAPETES QUASE VOADORES LTDA', '1351100', 'MANAUS'],
  ['clean-cleaning', '99010037', 'LIMPEZA DE CONSCIENCIA LTDA', '8121400', 'BRASILIA'],
  ['clean-wholesale', '99010038', 'ATACADO DE BOLHAS DE SABAO LTDA', '4649408', 'RIO DE JANEIRO'],
  ['clean-grain', '99010039', 'GRAOS DE BICO CALADO LTDA', '4632001', 'CUIABA'],
  ['clean-developer', '99010040', 'INCORPORADORA TERRENO NA LUA LTDA', '4110700', 'SAO PAULO'],
  ['clean-staffing', '99010041', 'RECURSOS QUASE HUMANOS LTDA', '7810800', 'BELO HORIZONTE'],
];

export const fillerCompanies: readonly SandboxCompany[] = rows.map(([scenario, root, name, activity, place], i) =>
  establishment({
    scenario,
    root,
    name,
    activity,
    place,
    partners: [person(24 + 2 * i), person(25 + 2 * i, 22)],
    note: 'Active, two partners, on no list.',
  }),
);
