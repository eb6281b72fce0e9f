import { stringify } from 'csv-stringify/sync';
import { type CsvDelimiter, csvFormat } from '../../../domain/csv.ts';
import { toPublicId } from '../../../domain/public-ids.ts';
import { isoWithOffset } from '../../../domain/time.ts';
import { CompanyType } from '../../../graphql/company.ts';
import { defineEnum } from '../../../graphql/enums.ts';
import { type Language, type Row, textIn } from '../../../messages/message.ts';
import { sourceNameIn } from '../../../messages/source-names.ts';
import type { Outcome, Review } from '../domain/review.ts';
import { ID_KINDS } from '../service/reviews.ts';

export const CsvLanguageEnum = defineEnum<Language>('CsvLanguage', 'Language of the header row and of the names of lists of a CSV.', {
  en: 'English.',
  es: 'Spanish.',
  pt: 'Portuguese.',
});

export const CsvDelimiterEnum = defineEnum<CsvDelimiter>('CsvDelimiter', 'Separator of the columns of a CSV.', {
  comma: 'A comma.',
  semicolon: 'The semicolon that spreadsheets expect where the decimal separator is a comma.',
});

/** Columns for people, which are the same for both outcomes. */
const HEADERS: readonly Row[] = [
  ['Decision', 'Decisión', 'Decisão'],
  ['Country', 'País', 'País'],
  ['Tax id', 'Identificador', 'Identificador'],
  ['Owner', 'Socio', 'Sócio'],
  ['List', 'Lista', 'Lista'],
  ['Id on the list', 'Id en la lista', 'Id na lista'],
  ['Listed name', 'Nombre en la lista', 'Nome na lista'],
  ['Reason', 'Motivo', 'Motivo'],
  ['Decided by', 'Decidido por', 'Decidido por'],
  ['Key', 'Clave', 'Chave'],
  ['Decided at', 'Decidido el', 'Decidido em'],
  ['Approved by', 'Aprobado por', 'Aprovado por'],
  ['Approved at', 'Aprobado el', 'Aprovado em'],
  ['Id', 'Id', 'Id'],
];

const OUTCOMES: Readonly<Record<Outcome, Row>> = {
  dismissed: ['Dismissed', 'Descartado', 'Descartado'],
  confirmed: ['Confirmed', 'Confirmado', 'Confirmado'],
};

/** Text in place of the name of who approved, while the decision waits. */
const WAITING: Row = ['waits for approval', 'espera aprobación', 'aguarda aprovação'];

/** A page of decisions as CSV. */
interface CsvPage {
  readonly outcome: Outcome;
  readonly reviews: readonly Review[];
  /** True for the first page, which has the header row. */
  readonly header: boolean;
}

interface CsvOptions {
  /** Language of the reader; null for a program. */
  readonly language: Language | null;
  readonly delimiter: CsvDelimiter;
}

/** Writes decisions as CSV: for programs without a language, else for people. */
export function csvOf(page: CsvPage, { language, delimiter }: CsvOptions): string {
  const { columns, rowOf } = language === null ? forPrograms(page.outcome) : forPeople(page.outcome, language);
  return stringify(page.reviews.map(rowOf), { header: page.header, columns: [...columns], ...csvFormat(delimiter) });
}

interface Table {
  readonly columns: readonly string[];
  readonly rowOf: (review: Review) => readonly string[];
}

function forPrograms(outcome: Outcome): Table {
  const isDismissed = outcome === 'dismissed'; // only candidates of companies are confirmed
  const party = ['list', 'entity_id', 'entry_name', 'reason'];
  const decision = [`${outcome}_by`, `${outcome}_at`, 'record_digest', ...(isDismissed ? ['owner_id'] : []), `${outcome}_by_name`];
  const approval = ['approved_by_name', 'approved_at'];
  return {
    columns: ['id', 'country', 'identifier', ...party, ...decision, ...approval],
    rowOf: (one) => [
      toPublicId(ID_KINDS[outcome], one.id),
      ...companyOf(one),
      ...partyOf(one, one.list),
      one.keyId,
      isoWithOffset(one.decidedAt),
      one.recordDigest,
      ...(isDismissed ? [one.ownerId ?? ''] : []),
      one.keyName,
      ...approvalOf(one, ''),
    ],
  };
}

const forPeople = (outcome: Outcome, language: Language): Table => ({
  columns: HEADERS.map((row) => textIn(row, language)),
  rowOf: (one) => [
    textIn(OUTCOMES[outcome], language),
    ...companyOf(one),
    one.ownerId ?? '',
    ...partyOf(one, sourceNameIn(one.list, language)),
    one.keyName,
    one.keyId,
    isoWithOffset(one.decidedAt),
    ...approvalOf(one, textIn(WAITING, language)),
    toPublicId(ID_KINDS[outcome], one.id),
  ],
});

function companyOf({ company }: Review): readonly [country: string, identifier: string] {
  const { country, formattedIdentifier } = new CompanyType(company);
  return [country, formattedIdentifier];
}

/** @param list code of the list, or its name for people */
const partyOf = ({ entityId, entryName, reason }: Review, list: string): readonly string[] => [list, entityId, entryName, reason];

const approvalOf = ({ approval, isWaiting }: Review, waiting: string): readonly [name: string, at: string] =>
  approval ? [approval.keyName, isoWithOffset(approval.approvedAt)] : [isWaiting ? waiting : '', ''];
