import { maskCpfs, maskCpfsInName } from '../../../domain/personal-ids.ts';
import { DAY_MS, HOUR_MS } from '../../../domain/time.ts';
import type { HolderDocuments } from '../../../sources/registry/company-documents.ts';
import { cellText, tableRows } from '../../../sources/registry/csv-table.ts';
import { DateColumn } from '../../../sources/registry/date-column.ts';
import { defineRegistry } from '../../../sources/registry/define-registry.ts';
import { type ListFile, ListFileError } from '../../../sources/registry/list-file.ts';
import type { ListEntry, ListSummary, RegistrySpec } from '../../../sources/registry/registry.ts';
import { CompanyRows, companyOf, type ListedHolder } from './company-rows.ts';
import { endDate } from './entry.ts';

/** An agreement of a company with the body that would have punished it, as the list has it. Dates are ISO. */
export interface AgreementEntry extends HolderDocuments {
  readonly name: string;
  readonly startsOn: string | null;
  readonly endsOn: string | null;
  /** Situation as printed, such as `Em Execução`. The publisher does not define the values. */
  readonly situation: string;
  /** Number of the process. The companies of a group have one agreement each, under one number. */
  readonly processId: string | null;
  readonly bodyName: string;
  /** Effects as printed, in the order of their file. */
  readonly effects: readonly AgreementEffect[];
}

export interface AgreementEffect {
  readonly effect: string;
  readonly complement: string | null;
}

/** Beginnings of the names of columns. One name has a dash of another charset, and another is misspelt (`LENIÊNICA`) in some versions. */
const COLUMNS = {
  id: 'ID DO ACORDO',
  document: 'CNPJ DO SANCIONADO',
  name: 'RAZÃO SOCIAL',
  tradeName: 'NOME FANTASIA',
  start: 'DATA DE INÍCIO DO ACORDO',
  end: 'DATA DE FIM DO ACORDO',
  situation: 'SITUAÇÃO DO ACORDO',
  dataDate: 'DATA DA INFORMAÇÃO',
  process: 'NÚMERO DO PROCESSO',
  terms: 'TERMOS DO ACORDO',
  body: 'ÓRGÃO SANCIONADOR',
};
const EFFECT_COLUMNS = { id: 'ID DO ACORDO', effect: 'EFEITO', complement: 'COMPLEMENTO' };
const FORM = { delimiter: ';', byPrefix: true } as const;

/**
 * Reads the csv of leniency agreements, and the one with their effects beside it. A foreign company has a word in place of a CNPJ, and is
 * kept by name.
 * @throws ListFileError for missing columns, a truncated row, the missing file of effects, more than 1 % unreadable CNPJs, dates that are
 * not written DD/MM/YYYY, and effects of which less than half belong to an agreement
 */
async function* read(file: ListFile): AsyncGenerator<ListEntry<AgreementEntry>, ListSummary, void> {
  const companies = new CompanyRows(COLUMNS.document);
  const starts = new DateColumn(COLUMNS.start);
  const ends = new DateColumn(COLUMNS.end);
  const effects = await readEffects(file);
  const ids = new Set<string>();
  for await (const { row, cell } of tableRows(file, COLUMNS, FORM)) {
    ids.add(cell.id);
    const startsOn = cellText(cell.start) && starts.read(cell.start);
    const endsOn = endDate(cellText(cell.end) && ends.read(cell.end));
    const kept = companies.take(holderIn(cell), cell.name, maskCpfs(cell.id), row);
    if (!kept) continue;
    const { documents, ...key } = kept;
    yield {
      ...key,
      record: {
        ...documents,
        name: maskCpfsInName(cell.name),
        startsOn,
        endsOn,
        situation: maskCpfs(cell.situation),
        processId: cellText(maskCpfs(cell.process)),
        bodyName: maskCpfs(cell.body),
        effects: effects.get(cell.id) ?? [],
      },
    };
  }
  starts.assertDates(file.nameDate);
  ends.assertDates();
  const known = [...effects.keys()].filter((id) => ids.has(id)).length;
  if (known < effects.size / 2) throw new ListFileError('the effects do not belong to the agreements');
  return companies.summary(file.nameDate);
}

/** Returns the company of a row. A word without a digit in place of the CNPJ stands for a foreign one. */
function holderIn({ document, name }: typeof COLUMNS): ListedHolder {
  const holder = companyOf(document, name);
  return holder.kind === 'unreadable' && !/\d/.test(document) && /\p{L}/u.test(document) ? { kind: 'foreign' } : holder;
}

/** Reads the effects by the id of their agreement. */
async function readEffects(agreements: ListFile): Promise<ReadonlyMap<string, readonly AgreementEffect[]>> {
  const file = await agreements.companion(agreements.name.replace('Acordos', 'Efeitos').replace('acordos', 'efeitos'));
  if (!file) throw new ListFileError('the file of the effects is missing');
  const effects = new Map<string, AgreementEffect[]>();
  for await (const { cell } of tableRows(file, EFFECT_COLUMNS, FORM)) {
    const own = effects.get(cell.id) ?? [];
    own.push({ effect: maskCpfs(cell.effect), complement: cellText(maskCpfs(cell.complement)) });
    effects.set(cell.id, own);
  }
  return effects;
}

export const acordoLenienciaSpec: RegistrySpec<AgreementEntry> = {
  name: 'ACORDO_LENIENCIA',
  attribution: 'Controladoria-Geral da União, Portal da Transparência: Acordos de Leniência, open data of the Brazilian government.',
  coverage: [
    'Agreements with the federal comptroller (CGU), in force and ended. Those with prosecutors (MPF) and with CADE are not among them.',
    'An agreement is no sanction: the company confessed and cooperates. It is in `agreements`, and changes neither `isDebarred` nor a verdict.',
    'Each company of a group has an agreement of its own under one process number. A foreign company without a CNPJ is not found.',
    'Columns are found by the beginnings of their names, because the spelling and a dash differ between files. The columns of older files are refused.',
    'Not verified: all values of the situation, which is passed on as printed.',
  ],
  setting: 'QUIPU_LENIENCY_URL',
  address: {
    live: 'https://portaldatransparencia.gov.br/download-de-dados/acordos-leniencia/{date}',
    sandbox: '/acordo_leniencia/{date}',
    description:
      'Leniency agreements of the CGU: zip with the csv of the agreements and that of their effects; {date} becomes YYYYMMDD. Empty for none.',
    optional: true,
  },
  members: ['acordos.csv'],
  schemaVersion: 3,
  guard: { minRows: 100, maxRows: 400, maxShrink: 0.2, maxGrowth: 1 },
  everyMs: 6 * HOUR_MS,
  staleAfterMs: 3 * DAY_MS,
  redirectHosts: ['dadosabertos-download.cgu.gov.br'],
  read,
};

export const acordoLeniencia = defineRegistry(acordoLenienciaSpec);
