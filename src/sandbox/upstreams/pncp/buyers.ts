import type { SandboxCompany } from '../../world/brazil/company.ts';
import { PLACES } from '../../world/brazil/tables.ts';
import { companyByScenario } from '../../world/brazil/world.ts';

/** Public bodies of the made-up Brazil that buy. */
export const BUYERS: readonly [SandboxCompany, ...SandboxCompany[]] = [
  companyByScenario('clean-town-hall'),
  companyByScenario('clean-public-company'),
  companyByScenario('clean-mixed-economy'),
];

/** The buyer's part of every record of PNCP. */
export function buyerJson({ cnpj, name, place }: SandboxCompany) {
  const { uf, ibge } = PLACES[place];
  return {
    orgaoEntidade: { cnpj, razaoSocial: name, poderId: 'E', esferaId: 'M' },
    unidadeOrgao: {
      ufNome: uf,
      ufSigla: uf,
      codigoIbge: String(ibge),
      municipioNome: place,
      codigoUnidade: '1',
      nomeUnidade: `UNIDADE CENTRAL DE COMPRAS DE ${place}`,
    },
    orgaoSubRogado: null,
    unidadeSubRogada: null,
  };
}

/** `99010012000101-2-000018/2026`: buyer, kind (1 procurement, 2 contract), sequence, year. */
export const controlNumber = ({ cnpj }: SandboxCompany, kind: 1 | 2, sequence: number, year: number): string =>
  `${cnpj}-${kind}-${String(sequence).padStart(6, '0')}/${year}`;
