import { cnpjOf, maskedCpf, personName } from '../../world/brazil/company.ts';
import { companyByScenario } from '../../world/brazil/world.ts';
import type { Published, Simulator } from '../simulator.ts';

/** A row of either list, under the publisher's names. */
type Row = Readonly<Record<string, string | number>>;

const masked = (serial: number): string => maskedCpf(serial).replace(/^\*{3}(\d{3})(\d{3})\*\*$/, '***.$1.$2-**');

const penalty = (serial: number, name: string, document: Row, years: number, end: string): Row => ({
  PAS: String(1_600_000 + serial),
  Nome: name,
  ...document,
  Penalidade: 'CPF' in document ? 'Inabilitação' : 'Proibição',
  Prazo_em_anos: years,
  Inicio_do_cumprimento: `2025-0${1 + (serial % 9)}-15`,
  Prazo_final_penalidade: end,
});

function onCompany(scenario: string, serial: number, end: string, years = 4): Row {
  const { cnpj, name } = companyByScenario(scenario);
  return penalty(serial, name, { CPF_CNPJ: cnpj }, years, end);
}

const prohibited: readonly Row[] = [
  onCompany('prohibited-bcb', 1, '2031-02-15'),
  onCompany('prohibited-bcb', 2, 'Consolidado', 2),
  onCompany('lists-all', 3, '2030-04-15'),
  ...Array.from({ length: 40 }, (_, i) =>
    penalty(10 + i, `AUDITORIA ALHEIA ${i + 1} LTDA`, { CPF_CNPJ: cnpjOf(`994${String(i).padStart(5, '0')}`) }, 4, '2029-05-15'),
  ),
  penalty(90, personName(410), { CPF_CNPJ: masked(410) }, 4, '2029-05-15'),
];

const disqualified: readonly Row[] = Array.from({ length: 210 }, (_, i) =>
  penalty(500 + i, personName(420 + i), { CPF: masked(420 + i) }, 5, i % 9 === 0 ? 'Consolidado' : '2030-01-15'),
);

/** Writes an answer of the OData service. */
const answer = (set: string, rows: readonly Row[], key: string): Published => ({
  format: 'json',
  rows: rows.map((row) => JSON.stringify(row)),
  frame: (some) => `{"@odata.context":"https://example.invalid/odata$metadata#${set}","value":[${some.join(',')}]}`,
  renameRequired: (text) => text.replaceAll(`"${key}"`, '"Documento"'),
  charset: 'utf-8',
});

const SETS: Readonly<Record<string, Published>> = {
  '/odata/QuadroGeralProibidos': answer('QuadroGeralProibidos', prohibited, 'CPF_CNPJ'),
  '/odata/QuadroGeralInabilitados': answer('QuadroGeralInabilitados', disqualified, 'CPF'),
};

/** The lists of the Central Bank: prohibited companies and people, and disqualified people. */
export const bcbProibidosSimulator: Simulator = {
  name: 'BCB_PROIBIDOS',
  handle({ path }) {
    const body = SETS[path];
    const headers = { 'content-type': 'application/json;odata.metadata=minimal' };
    return body ? { status: 200, headers, body } : { status: 404, headers, body: '{"error":{"code":"404"}}' };
  },
};
