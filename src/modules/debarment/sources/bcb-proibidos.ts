import { z } from 'zod';
import { maskCpfs, maskCpfsInName } from '../../../domain/personal-ids.ts';
import { DAY_MS, isIsoDate } from '../../../domain/time.ts';
import { rowsOf } from '../../../sources/http/rows.ts';
import { cellText } from '../../../sources/registry/csv-table.ts';
import { defineRegistry } from '../../../sources/registry/define-registry.ts';
import { readJsonList } from '../../../sources/registry/json-text.ts';
import { type ListFile, ListFileError } from '../../../sources/registry/list-file.ts';
import type { ListEntry, ListSummary, RegistrySpec } from '../../../sources/registry/registry.ts';
import { CompanyRows, companyOrPersonOf } from './company-rows.ts';
import { type DebarmentEntry, endDate } from './entry.ts';

const number = z.union([z.string().trim(), z.number()]).nullable();
const common = { PAS: number, Nome: z.string().trim(), Penalidade: z.string().trim(), Prazo_em_anos: number };
const dates = { Inicio_do_cumprimento: z.string().trim().nullable(), Prazo_final_penalidade: z.string().trim().nullable() };

/** Form of an answer of the OData service. One with a link to a next page is not complete. */
const answer = <T>(row: z.ZodType<T>) => z.object({ value: rowsOf(row), '@odata.nextLink': z.undefined().optional() });
const prohibited = answer(z.object({ ...common, ...dates, CPF_CNPJ: z.string().trim() }));
const disqualified = answer(z.object({ ...common, ...dates, CPF: z.string().trim() }));

/** Words that the list prints in place of an end: the term was joined to that of another record of the same company. */
const JOINED = /^consolidado$/i;

/**
 * Reads the prohibited companies of the Central Bank (QGP). People are left out. The list may have hardly any company, so that an empty
 * answer can be right; the list of disqualified people (QGI), which the same service answers, is counted with it, so that the load guard
 * notices a service that answers both without rows.
 * @throws ListFileError for another form, an answer that is not complete, an unreadable document, and a date that is not YYYY-MM-DD
 */
async function* read(file: ListFile): AsyncGenerator<ListEntry<DebarmentEntry>, ListSummary, void> {
  const companies = new CompanyRows('CPF_CNPJ');
  const people = await file.companion(disqualifiedBeside(file.name));
  if (people) companies.skip((await readJsonList(people, disqualified)).value.length);
  for (const row of (await readJsonList(file, prohibited)).value) {
    const startsOn = isoOrNull(row.Inicio_do_cumprimento);
    const isJoined = JOINED.test(row.Prazo_final_penalidade ?? '');
    const endsOn = isJoined ? null : endDate(isoOrNull(row.Prazo_final_penalidade));
    const process = maskCpfs(String(row.PAS ?? ''));
    const cells = Object.values(row).map(String);
    const kept = companies.take(companyOrPersonOf(row.CPF_CNPJ, row.Nome), row.Nome, `${process} ${row.Penalidade}`, cells);
    if (!kept) continue;
    const { documents, ...key } = kept;
    yield {
      ...key,
      record: {
        ...documents,
        name: maskCpfsInName(row.Nome),
        category: maskCpfs(row.Penalidade),
        bodyName: 'Banco Central do Brasil',
        startsOn,
        endsOn,
        processId: cellText(process),
        fineBrl: null,
        sanctionCode: '',
        ...(isJoined && { endText: row.Prazo_final_penalidade }),
      },
    };
  }
  return companies.summary(file.lastModified);
}

/** Returns the name of the list of disqualified people beside the list of prohibited ones. */
const disqualifiedBeside = (name: string): string =>
  /proibidos/i.test(name) ? name.replace(/Proibidos/, 'Inabilitados').replace(/proibidos/, 'inabilitados') : name.replace(/qgp/i, 'qgi');

/** @throws ListFileError for a text that is no ISO date */
function isoOrNull(text: string | null): string | null {
  if (text === null || cellText(text) === null) return null;
  if (!isIsoDate(text)) throw new ListFileError('a date is not written YYYY-MM-DD');
  return text;
}

export const bcbProibidosSpec: RegistrySpec<DebarmentEntry> = {
  name: 'BCB_PROIBIDOS',
  attribution: 'Banco Central do Brasil: Quadro Geral de Proibidos (QGP), open data of the Central Bank.',
  coverage: [
    'Penalties in force by which few companies are barred from auditing or from operations in the financial system. They are no bans from public contracts. Fines and earlier decisions are not on the list.',
    '`Consolidado` in place of an end says that the term was joined to that of another record of the company. `dateEnd` is then null and `endText` has the word, which does not mean that the penalty has no end.',
    'The list may have no company at all. The list of disqualified people beside it is therefore read and counted, and not stored.',
    'Not verified: the texts of the penalties and the form of the masks of CPFs. A date of another form refuses the file.',
  ],
  setting: 'QUIPU_BCB_URL',
  address: {
    live: 'https://olinda.bcb.gov.br/olinda/servico/Gepad_QuadrosGeraisInternet/versao/v1/odata/QuadroGeralProibidos?$format=json&$top=20000',
    sandbox: '/bcb_proibidos/odata/QuadroGeralProibidos?$format=json&$top=20000',
    description:
      'List of the Central Bank of Brazil of prohibited companies: JSON; the list of disqualified people is read beside it, and counted. Empty for none.',
    optional: true,
  },
  schemaVersion: 3,
  // The publisher has 200 to 1,200 disqualified people, and 1 to 200 prohibited companies and people.
  guard: { minRows: 200, maxRows: 1_400, maxShrink: 0.2, maxGrowth: 1, namedSlack: 5 },
  everyMs: DAY_MS,
  staleAfterMs: 4 * DAY_MS,
  read,
};

export const bcbProibidos = defineRegistry(bcbProibidosSpec);
