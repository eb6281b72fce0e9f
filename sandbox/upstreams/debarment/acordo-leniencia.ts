import { formatCnpj } from '../../../src/domain/tax-id.ts';
import { cnpjOf, type SandboxCompany } from '../../world/brazil/company.ts';
import { companyByScenario } from '../../world/brazil/world.ts';
import { brazilianDate, compactDate } from '../../world/calendar.ts';
import { encode, type Simulator, zippedFiles } from '../simulator.ts';
import { dailyFile, line, table } from './portal.ts';

/** One agreement. Dates are DD/MM/YYYY; empty for none. */
interface Agreement {
  readonly id: number;
  readonly document: string;
  readonly name: string;
  readonly tradeName: string;
  readonly start: string;
  readonly end: string;
  readonly situation: string;
  readonly process: string;
}

type Plan = Partial<Agreement> & Pick<Agreement, 'id'>;

const on = ({ cnpj, name, tradeName }: Pick<SandboxCompany, 'cnpj' | 'name' | 'tradeName'>, plan: Plan): Agreement => ({
  document: plan.id % 2 === 0 ? formatCnpj(cnpj) : cnpj,
  name,
  tradeName,
  start: '01/07/2018',
  end: '01/07/2040',
  situation: 'Em Execução',
  process: `00190.${100_000 + plan.id}/2016-11`,
  ...plan,
});
const of = (scenario: string, plan: Plan): Agreement => on(companyByScenario(scenario), plan);

const agreements: readonly Agreement[] = [
  of('leniency', { id: 9_001 }),
  of('leniency-ended', { id: 9_002, start: '06/07/2016', end: '15/07/2022', situation: 'Em cumprimento' }),
  of('lists-all', { id: 9_003, start: '19/03/2021', end: '' }),
  on({ cnpj: '', name: 'FOREIGN IMAGINARY GMBH', tradeName: '' }, { id: 9_009, document: 'EXINVENTADA', end: '31/01/2030' }),
  ...Array.from({ length: 30 }, (_, i) =>
    on(
      { cnpj: cnpjOf(`993${String(i).padStart(5, '0')}`), name: `CONSTRUTORA ALHEIA ${i + 1} S.A.`, tradeName: `ALHEIA ${i + 1}` },
      // three companies of a group have one agreement each, under one process
      { id: 9_100 + i, start: `${10 + (i % 18)}/07/2019`, process: `00190.${200_000 + Math.floor(i / 3)}/2017-22` },
    ),
  ),
];

/** The dashes are byte 0x96, and `LENIÊNICA` is misspelt in the publisher's header. */
const HEADER = [
  'ID DO ACORDO',
  'CNPJ DO SANCIONADO',
  'RAZÃO SOCIAL – CADASTRO RECEITA',
  'NOME FANTASIA – CADASTRO RECEITA',
  'DATA DE INÍCIO DO ACORDO',
  'DATA DE FIM DO ACORDO',
  'SITUAÇÃO DO ACORDO DE LENIÊNICA',
  'DATA DA INFORMAÇÃO',
  'NÚMERO DO PROCESSO',
  'TERMOS DO ACORDO',
  'ÓRGÃO SANCIONADOR',
];
const BODY = 'CONTROLADORIA-GERAL DA UNIÃO INVENTADA';

/** The file of the effects, in the charset of the publisher. */
export const effectsFile = (): Buffer => {
  const rows = agreements.flatMap(({ id }) => [
    line([String(id), 'Isenção da multa', '']),
    ...(id % 3 === 0 ? [line([String(id), 'Redução do prazo', 'Proibição de contratar; até 2020'])] : []),
  ]);
  return encode(table(['ID DO ACORDO', 'EFEITO DO ACORDO DE LENIENCIA', 'COMPLEMENTO'])(rows), 'windows-1252');
};

/** The leniency agreements of the CGU: a zip of the agreements and of their effects. */
export const acordoLenienciaSimulator: Simulator = {
  name: 'ACORDO_LENIENCIA',
  handle: (request) =>
    dailyFile(request, [1, 2, 3], (day) => ({
      format: 'csv',
      rows: agreements.map((one) =>
        line([
          String(one.id),
          one.document,
          one.name,
          one.tradeName,
          one.start,
          one.end,
          one.situation,
          brazilianDate(day),
          one.process,
          '',
          BODY,
        ]),
      ),
      frame: table(HEADER),
      renameRequired: (text) => text.replace('CNPJ DO SANCIONADO', 'DOCUMENTO'),
      charset: 'windows-1252',
      pack: (bytes) =>
        zippedFiles(
          [
            [`${compactDate(day)}_Acordos.csv`, bytes],
            [`${compactDate(day)}_Efeitos.csv`, effectsFile()],
          ],
          day,
        ),
    })),
};
