import type { Knex } from 'knex';
import type { Found } from '../../../domain/answer.ts';
import { AppError, sourceUnavailable } from '../../../domain/errors.ts';
import { cnpjRoot } from '../../../domain/tax-id.ts';
import { companyMessages } from '../../../messages/companies.ts';
import { GAP } from '../../copies/store/comparisons.ts';
import type { ReceitaCompany } from '../company.ts';
import { undoChanges, withoutLater, withoutUncompared } from './as-of.ts';
import type { RegistryField } from './change-field.ts';
import { type RegistryChange, toRegistryChange } from './company-changes.ts';
import { toReceitaCompany, withoutLostPartners } from './record.ts';
import { findEarlierNames, type NameQuery } from './store/earlier-names.ts';
import type { AnsweringVersion, companyFinder, StoredCompany, StoredPartner } from './store/find.ts';
import {
  type ChangedPartner,
  type ChangesSince,
  type FoundChanges,
  findChanges,
  findChangesSince,
  type StoredChange,
} from './store/find-changes.ts';

/** A page of the history of a company. */
export interface HistoryQuery {
  /** Bare CNPJ. */
  readonly cnpj: string;
  readonly fields: readonly RegistryField[];
  readonly first: number;
  /** `seq` of the last change of the previous page; null for the newest changes. */
  readonly after: number | null;
}

/** Changes of a company, newest first. Dates are ISO. */
export interface HistoryPage {
  readonly changes: readonly RegistryChange[];
  readonly hasMore: boolean;
  /** Dates of the first and the last extract between which every change of these fields is known. */
  readonly coveredFrom: string;
  readonly coveredTo: string;
}

/** The differences between the extracts that were loaded. */
export interface CopyHistory {
  /** Returns a page for each query, or its failure, by one statement. A page is null for a company that the registry does not have. */
  history(queries: readonly HistoryQuery[]): Promise<readonly (Found<HistoryPage | null> | AppError)[]>;
  /**
   * Returns the records of the last extract up to a date, or their failure, by three statements. A record is null for a company that the
   * registry did not have then. Fields of which no differences are kept are null.
   */
  findAsOf(queries: readonly AsOfQuery[]): Promise<readonly (Found<ReceitaCompany | null> | AppError)[]>;
}

/** An establishment (bare CNPJ) at an ISO date. */
export interface AsOfQuery {
  readonly cnpj: string;
  readonly asOf: string;
}

/** Calls a function with a database and the version that answers, null for none, and again if that version was dropped meanwhile. */
type WithVersion = <T>(read: (from: Knex, version: AnsweringVersion | null) => Promise<T>) => Promise<T>;

const NO_EXTRACT = new AppError('NO_RECORD_THEN', companyMessages.noExtract());

const beganOn = (date: string): AppError => new AppError('NO_RECORD_THEN', companyMessages.historyBegins({ date }));

const UNREAD = sourceUnavailable('receita_federal', 'the copy has rows whose company could not be read');

const keyOf = (cnpj: string) => ({ root: cnpj.slice(0, 8), branch: cnpj.slice(8, 12) });

export const createCopyHistory = (withVersion: WithVersion, findCompanies: ReturnType<typeof companyFinder>): CopyHistory => ({
  history: (queries) =>
    withVersion(async (from, version) => {
      if (version === null) return queries.map(() => NO_EXTRACT);
      const found = await findChanges(
        from,
        version.id,
        queries.map(({ cnpj, ...query }) => ({ ...query, ...keyOf(cnpj) })),
      );
      return queries.map((query, i) => toPage(query, found[i], version));
    }),
  findAsOf: (queries) =>
    withVersion(async (from, version) => {
      if (version === null) return queries.map(() => NO_EXTRACT);
      const [rows, since] = await Promise.all([
        findCompanies(from, version.id, [...new Set(queries.map(({ cnpj }) => cnpj))]),
        findChangesSince(
          from,
          version.id,
          queries.map(({ cnpj, asOf }) => ({ ...keyOf(cnpj), asOf })),
        ),
      ]);
      const byCnpj = new Map(rows.map((row) => [row.cnpj, row]));
      const requested = queries.map(({ cnpj, asOf }, i) => ({ row: byCnpj.get(cnpj), since: since[i], asOf }));
      const nameThen = await partnerNames(from, version.id, requested);
      return requested.map((one) => recordOf(one, nameThen, version));
    }),
});

/** An establishment in the version that answers, and its changes since a date. */
interface AsOfRow {
  readonly row: StoredCompany | undefined;
  readonly since: ChangesSince | undefined;
  readonly asOf: string;
}

/** Returns the name of a partner at a date: that of the version unless a company had another one. */
type NameThen = (partner: StoredPartner, asOf: string) => string | null;

/**
 * Reads the earlier names of all companies that are or were partners of the establishments. As of the extract of the version itself there
 * are none.
 */
async function partnerNames(db: Knex, version: string, requested: readonly AsOfRow[]): Promise<NameThen> {
  const queries = requested.flatMap(({ row, since, asOf }) => {
    if (!since?.extractedOn) return [];
    const partners = [...(row?.partners ?? []), ...since.changes.flatMap(partnerThatLeft)];
    return partners.flatMap((one) => partnerRoot(one) ?? []).map((root) => ({ root, asOf }));
  });
  const distinct = [...new Map(queries.map((query) => [textOf(query), query])).values()];
  const names = await findEarlierNames(db, version, distinct);
  const known = new Map(distinct.map((query, i) => [textOf(query), names[i]]));
  return (partner, asOf) => {
    const root = partnerRoot(partner);
    const name = root === null ? undefined : known.get(textOf({ root, asOf }));
    return name === undefined ? partner.name : name;
  };
}

const textOf = ({ root, asOf }: NameQuery): string => `${root} ${asOf}`;

const partnerThatLeft = ({ field, details }: StoredChange): readonly ChangedPartner[] =>
  field === 'partner_left' ? [details as ChangedPartner] : [];

/** Returns the root of a partner that is a company; null for another one, and without a document. */
const partnerRoot = ({ kind, document }: Pick<StoredPartner, 'kind' | 'document'>): string | null =>
  kind === 1 && document !== null ? cnpjRoot(document) : null;

const factsOf = ({ extractedOn, loadedAt }: AnsweringVersion, dataAsOf = extractedOn) => ({ dataAsOf, fetchedAt: loadedAt });

const isReported = (change: StoredChange): change is StoredChange & { readonly field: RegistryField } => change.field !== GAP;

function toPage(
  { cnpj, first }: HistoryQuery,
  found: FoundChanges | undefined,
  version: AnsweringVersion,
): Found<HistoryPage | null> | AppError {
  const { coveredFrom, coveredTo, isKnown, isUnread, changes = [] } = found ?? {};
  if (!isKnown) return isUnread || version.hasUnattributed ? UNREAD : { value: null, ...factsOf(version) };
  const hasNothing = !coveredFrom || !coveredTo || (coveredFrom === coveredTo && changes.length === 0);
  if (hasNothing) return beganOn(version.extractedOn);
  const root = cnpj.slice(0, 8);
  const page = changes.slice(0, first).filter(isReported);
  return {
    value: { changes: page.map((one) => toRegistryChange(root, one)), hasMore: changes.length > first, coveredFrom, coveredTo },
    ...factsOf(version),
  };
}

function recordOf({ row, since, asOf }: AsOfRow, nameThen: NameThen, version: AnsweringVersion): Found<ReceitaCompany | null> | AppError {
  const coveredFrom = since?.coveredFrom ?? version.extractedOn;
  if (!row || !since || asOf < coveredFrom) return beganOn(coveredFrom);
  const facts = factsOf(version, since.extractedOn ?? version.extractedOn);
  if (row.isUnread) return UNREAD;
  const { status } = row;
  if (status === null) return version.hasUnattributed ? UNREAD : { value: null, ...facts };
  const undone = undoChanges({ ...row, status }, since.changes);
  if (undone === null) return { value: null, ...facts };
  const then = { ...undone, partners: undone.partners.map((one) => ({ ...one, name: nameThen(one, asOf) })) };
  if (!then.hasCompany) return sourceUnavailable('receita_federal', 'the company of this establishment is not in the files');
  const company = withoutLostPartners(toReceitaCompany(since.extractedOn === null ? then : withoutLater(then, since.extractedOn)), version);
  if (company.legalName === '') return sourceUnavailable('receita_federal', 'the record has no legal name');
  return { value: since.extractedOn === null ? company : withoutUncompared(company), ...facts };
}
