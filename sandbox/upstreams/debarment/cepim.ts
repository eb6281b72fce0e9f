import { cnpjOf, type SandboxCompany } from '../../world/brazil/company.ts';
import { companyByScenario } from '../../world/brazil/world.ts';
import { compactDate } from '../../world/calendar.ts';
import { pick, type Simulator, zipped } from '../simulator.ts';
import { dailyFile, line, table } from './portal.ts';

/** One row: an agreement of an entity. */
interface Agreement {
  readonly document: string;
  readonly name: string;
  /** Number of the agreement; its left zeros count. */
  readonly number: string;
  readonly organ: string;
  readonly reason: string;
}

const ORGANS = [
  'Ministério dos Exemplos - Unidades com vínculo direto',
  'Ministério da Cultura Inventada – Unidades com vínculo direto',
] as const;
const REASONS = [
  'NAO APRESENTACAO DA PRESTACAO DE CONTAS',
  'INSTAURACAO DE TOMADA DE CONTAS ESPECIAL',
  'DESCUMPRIMENTO DE CLAUSULA/CONDICAO DO INSTR.',
] as const;

const agreement = ({ cnpj, name }: Pick<SandboxCompany, 'cnpj' | 'name'>, number: string, variant = 0): Agreement => ({
  document: cnpj,
  name,
  number,
  organ: pick(ORGANS, variant),
  reason: pick(REASONS, variant),
});
const of = (scenario: string, number: string, variant?: number): Agreement => agreement(companyByScenario(scenario), number, variant);

/** Entities outside the fictional world: the majority of a real list. */
const strangers: readonly Agreement[] = Array.from({ length: 140 }, (_, i) =>
  agreement(
    { cnpj: cnpjOf(`996${String(i).padStart(5, '0')}`), name: `ASSOCIACAO ALHEIA NUMERO ${i + 1}` },
    `7${String(i).padStart(5, '0')}`,
    i,
  ),
);

const rows: readonly Agreement[] = [
  of('grants-barred', '039516'),
  of('grants-barred', '524174', 1),
  of('grants-barred', '524174', 2),
  of('lists-all', '700102'),
  ...strangers,
  strangers[0] as Agreement,
];

/** CEPIM: the newest file is two days old, because the publisher lags. */
export const cepimSimulator: Simulator = {
  name: 'CEPIM',
  handle: (request) =>
    dailyFile(request, [2, 3, 6], (day) => ({
      format: 'csv',
      rows: rows.map(({ document, name, number, organ, reason }) => line([document, name, number, organ, reason])),
      frame: table(['CNPJ ENTIDADE', 'NOME ENTIDADE', 'NÚMERO CONVÊNIO', 'ÓRGÃO CONCEDENTE', 'MOTIVO DO IMPEDIMENTO']),
      renameRequired: (text) => text.replace('CNPJ ENTIDADE', 'DOCUMENTO'),
      charset: 'windows-1252',
      pack: (bytes) => zipped(`${compactDate(day)}_CEPIM.csv`, bytes, day),
    })),
};
