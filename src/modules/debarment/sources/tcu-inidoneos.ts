import { z } from 'zod';
import { maskCpfs, maskCpfsInName } from '../../../domain/personal-ids.ts';
import { DAY_MS } from '../../../domain/time.ts';
import { rowsOf } from '../../../sources/http/rows.ts';
import { holderOf } from '../../../sources/registry/company-documents.ts';
import { cellText, tableRows } from '../../../sources/registry/csv-table.ts';
import { DateColumn } from '../../../sources/registry/date-column.ts';
import { defineRegistry } from '../../../sources/registry/define-registry.ts';
import { firstCharacter, readJsonList } from '../../../sources/registry/json-text.ts';
import { type ListFile, ListFileError } from '../../../sources/registry/list-file.ts';
import type { ListEntry, ListSummary, RegistrySpec } from '../../../sources/registry/registry.ts';
import { CompanyRows, companyOrPersonOf, type ListedHolder } from './company-rows.ts';
import { type DebarmentEntry, endDate } from './entry.ts';

/** A decision on one company, in the words of the API. Dates are DD/MM/YYYY. */
interface Decision {
  readonly holder: ListedHolder;
  readonly name: string;
  readonly process: string;
  readonly decision: string;
  /** Date on which the decision became final: the ban begins. */
  readonly finalOn: string;
  readonly endsOn: string;
  /** All cells, to find identical rows. */
  readonly row: readonly string[];
}

const record = z.object({
  numeroProcessoFormatado: z.string().trim(),
  nome: z.string().trim(),
  tipoRegistro: z.enum(['CNPJ', 'CPF']),
  numeroRegistro: z.string().trim().nullable(),
  numeroAcordaoFormatado: z.string().trim().nullable(),
  dataAcordao: z.string().trim().nullable(),
  dataTransitoEmJulgado: z.string().trim().nullable(),
  dataFinalSancao: z.string().trim().nullable(),
});

/** Columns of the csv that the same page exports. */
const COLUMNS = {
  name: 'Nome',
  document: 'CPF/CNPJ',
  process: 'Processo',
  decision: 'Acórdão',
  decidedOn: 'Data do acórdão',
  finalOn: 'Trânsito em julgado',
  endsOn: 'Data final da sanção',
};

/**
 * Reads the list of companies that the TCU has declared unfit: the JSON of its API, or the csv of its page. People are left out. A foreign
 * company has no CNPJ, and is kept by name.
 * @throws ListFileError for an object in place of the array (an error of the API), a record with missing fields, a truncated row, more than
 * 1 % unreadable CNPJs, more than 20 % that are missing, and dates that are not written DD/MM/YYYY
 */
async function* read(file: ListFile): AsyncGenerator<ListEntry<DebarmentEntry>, ListSummary, void> {
  const companies = new CompanyRows('CPF/CNPJ');
  const starts = new DateColumn(COLUMNS.finalOn);
  const ends = new DateColumn(COLUMNS.endsOn);
  for await (const { holder, row, ...decision } of decisions(file)) {
    const startsOn = cellText(decision.finalOn) && starts.read(decision.finalOn);
    const endsOn = endDate(cellText(decision.endsOn) && ends.read(decision.endsOn));
    const reference = decisionNumber(decision.decision);
    const kept = companies.take(holder, decision.name, `${decision.process} ${reference ?? ''}`, row);
    if (!kept) continue;
    const { documents, ...key } = kept;
    yield {
      ...key,
      record: {
        ...documents,
        name: maskCpfsInName(decision.name),
        category: 'INIDONEIDADE',
        bodyName: 'Tribunal de Contas da União',
        startsOn,
        endsOn,
        processId: cellText(maskCpfs(decision.process)),
        fineBrl: null,
        sanctionCode: '',
        reference,
      },
    };
  }
  starts.assertDates(file.lastModified);
  ends.assertDates();
  return companies.summary(file.lastModified);
}

async function* decisions(file: ListFile): AsyncGenerator<Decision, void, void> {
  const first = await firstCharacter(file);
  if (first === '{') throw new ListFileError('an object stands where the list should be: the API has answered with an error');
  if (first !== '[') {
    for await (const { row, cell } of tableRows(file, COLUMNS, { delimiter: '|' }))
      yield { ...cell, holder: holderIn(cell.document || null, cell.name), row };
    return;
  }
  for (const one of await readJsonList(file, rowsOf(record))) {
    yield {
      holder: holderIn(one.numeroRegistro, one.nome, one.tipoRegistro),
      name: one.nome,
      process: one.numeroProcessoFormatado,
      decision: one.numeroAcordaoFormatado ?? '',
      finalOn: one.dataTransitoEmJulgado ?? '',
      endsOn: one.dataFinalSancao ?? '',
      row: Object.values(one).map((value) => value ?? ''),
    };
  }
}

/**
 * Matches a name that ends in a legal form which Brazil does not have. Some count only with more around them, because a Brazilian name may
 * end in the same letters, by itself (`E SPA`) or cut (`LTDA`, `INCORPORADORA`).
 */
const FOREIGN_FORM =
  /[\s,](?:L\.?L\.?C|CORP|CORPORATION|CO\.?,? LTD|LIMITED|PLC|LLP|GMBH|B\.?V|N\.?V|S\.?R\.?L|S\.P\.A|S\.?A\.?S|SARL|PTY|PTE|A\/S|S\.?A\.? DE C\.?V)\.?$|, ?INC\.?$|\sINC\.$/i;

/**
 * Returns the holder of a record. The API also says CNPJ of a foreign company, whose number is null. A record whose number is null and whose
 * name is not that of a foreign company has lost it.
 */
function holderIn(number: string | null, name: string, type: 'CNPJ' | 'CPF' = 'CNPJ'): ListedHolder {
  const holder = companyOrPersonOf(number ?? '', name);
  if (holder.kind === 'person' || (holder.kind === 'company' && !holder.damaged)) return holder;
  if (number === null) return { kind: type === 'CNPJ' && FOREIGN_FORM.test(name.trim()) ? 'foreign' : 'unidentified' };
  return type === 'CPF' ? holderOf(number, 'F') : holder;
}

/** Returns `2180/2023-PL` for `AC-002180/2023-PL`, as another API of the TCU writes it; null for an empty text. */
function decisionNumber(text: string): string | null {
  return cellText(maskCpfs(text.replace(/^AC-0*(?=\d)/i, '')));
}

export const tcuInidoneosSpec: RegistrySpec<DebarmentEntry> = {
  name: 'TCU_INIDONEOS',
  attribution: 'Tribunal de Contas da União (TCU): Licitantes Inidôneos. Its terms allow reuse with citation.',
  coverage: [
    'Bans of up to five years from federal contracts, from the day on which the decision became final. Ended ones are removed. Many are also on CEIS.',
    'The list is off until `QUIPU_TCU_TERMS` is `accepted`: the terms of the court are reported to allow reuse with citation, and to exclude commercial use. Ask the court before you sell answers with this list. In the sandbox it is on.',
    'A foreign company without a CNPJ is not found: a record without a number counts as foreign if its name ends in a legal form that Brazil does not have. Other records without a number are compared by name. People are left out: a record of a CPF, of eleven digits or with a mask.',
    'An object in place of the array, and an empty array, are failed downloads. The csv of the page (`sep=\\|`, Windows-1252) is read as a file.',
    'Not verified: whether the API on another host of the court (ORDS) still answers. It is not used.',
  ],
  setting: 'QUIPU_TCU_URL',
  address: {
    live: 'https://certidoes.apps.tcu.gov.br/api/publico/responsaveis-inidoneos',
    sandbox: '/tcu_inidoneos/responsaveis-inidoneos',
    description: 'List of the TCU of companies declared unfit: its API, requested by POST, or a file in JSON or csv. Empty for none.',
    optional: true,
  },
  terms: {
    setting: 'QUIPU_TCU_TERMS',
    description:
      'accepted: the operator has the right to use the list of the TCU, whose terms are reported to exclude commercial use. Without it the list is off.',
  },
  requestBody: '{}',
  schemaVersion: 3,
  guard: { minRows: 80, maxRows: 250, maxShrink: 0.2, maxGrowth: 1 },
  everyMs: DAY_MS,
  staleAfterMs: 4 * DAY_MS,
  read,
};

export const tcuInidoneos = defineRegistry(tcuInidoneosSpec);
