import { failureOfRead } from '../../../db/unavailable.ts';
import { type Answer, derive, oldest } from '../../../domain/answer.ts';
import { type CompanyKey, companyKeyText } from '../../../domain/company.ts';
import { formatRut } from '../../../domain/tax-id.ts';
import { HOUR_MS, MINUTE_MS } from '../../../domain/time.ts';
import { ownershipHistoryLoader } from '../../../loaders/cl-ownership.ts';
import type { FetchingLoader, Load, Offered } from '../../../loaders/loader.ts';
import { answerAt } from '../../../loaders/registry-as-of.ts';
import { copyCacheVersion, noCopy } from '../../../loaders/registry-copy.ts';
import { siiRecordLoader } from '../../../loaders/taxpayer.ts';
import { coverageMessages } from '../../../messages/coverage.ts';
import type { Message } from '../../../messages/message.ts';
import { OWNERSHIP_FIELDS, type OwnershipField } from '../../../sources/cl-ownership/change-field.ts';
import type { OwnershipChange, OwnershipHistory } from '../../../sources/cl-ownership/history.ts';
import { PARTNER_FIELDS, REGISTRY_FIELDS, type RegistryField } from '../../../sources/receita-federal/copy/change-field.ts';
import type { RegistryChange } from '../../../sources/receita-federal/copy/company-changes.ts';
import type { HistoryPage as RegistryPage } from '../../../sources/receita-federal/copy/history.ts';
import { receitaFederal } from '../../../sources/receita-federal/receita-federal.ts';
import type { Owner } from '../../owners/domain.ts';
import { toOwner } from '../../owners/loader.ts';
import { loadNames } from '../../owners/loaders/chile-records.ts';
import { DECLARED_PEOPLE, PARTNER_ROLE } from '../../owners/loaders/declared.ts';

/** Countries whose registry is copied, so that its versions can be compared. */
export const HISTORY_COUNTRIES = ['BR', 'CL'] as const;
export type HistoryCountry = (typeof HISTORY_COUNTRIES)[number];

export type HistoryField = RegistryField | OwnershipField;

/** Fields of which differences are kept, by country. */
export const HISTORY_FIELDS_OF: Readonly<Record<HistoryCountry, readonly HistoryField[]>> = { BR: REGISTRY_FIELDS, CL: OWNERSHIP_FIELDS };

/** All fields, in the order of a history. */
export const HISTORY_FIELDS = [...REGISTRY_FIELDS, 'partner_share'] as const satisfies readonly HistoryField[];

/** Fields of partners, which need the module `owners`, too. */
export const HISTORY_PARTNER_FIELDS: readonly HistoryField[] = [...PARTNER_FIELDS, 'partner_share'];

/** The partner of a change. */
export interface HistoryPartner extends Pick<Owner, 'name' | 'role' | 'identifier' | 'entryDate' | 'country'> {
  readonly entityType: Owner['entityType'] | 'natural_persons';
  /** CL: percentage after the change, or before it for a partner that left; null if it is not known, and for BR. */
  readonly share: string | null;
}

/** A difference of a company between two versions of its registry. Dates are ISO. */
export interface HistoryChange extends Omit<RegistryChange, 'field' | 'partner'> {
  readonly field: HistoryField;
  readonly partner: HistoryPartner | null;
}

/** A page of the history of a company, newest first. Dates are ISO. */
export interface HistoryPage extends Omit<RegistryPage, 'changes'> {
  readonly changes: readonly HistoryChange[];
  /** A sentence on the versions that were compared; null for BR, whose extracts are monthly. */
  readonly coverage: Message | null;
}

/** A request for a page of the history of a company. */
export interface HistoryRequest {
  readonly company: CompanyKey<HistoryCountry>;
  readonly fields: readonly HistoryField[];
  readonly first: number;
  /** `seq` of the last change of the previous page; null for the newest changes. */
  readonly after: number | null;
}

/**
 * HistoryRequest (BR, CL) → the differences between the versions of the registry that were loaded, newest first; null for a company that the
 * registry does not have. BR: all fields, between the monthly extracts; CL: owners and their shares, between the yearly files.
 * @throws AppError NO_RECORD_THEN if no two versions with the company were compared, SOURCE_NOT_CONFIGURED without an own copy
 */
export const historyLoader: Offered<HistoryRequest, HistoryPage | null> = {
  name: 'company_history',
  module: 'kyb',
  counts: (page) => page !== null,
  key: keyOf,
  answer: async (request, load) =>
    request.company.country === 'CL' ? loadOwnershipHistory(request, load) : derive(await load(registryHistoryLoader, request), toPage),
};

function keyOf({ company, fields, first, after }: HistoryRequest): string {
  return [companyKeyText(company), fields.join(' '), first, after].join('|');
}

/** HistoryRequest (BR) → the page of the own copy, by one statement per batch. A new version of the copy invalidates the cache. */
const registryHistoryLoader: FetchingLoader<HistoryRequest, RegistryPage | null> = {
  name: 'registry_history',
  key: keyOf,
  cache: { ttlMs: () => 15 * MINUTE_MS, maxStaleAgeMs: () => HOUR_MS },
  cacheVersion: copyCacheVersion,
  batch(requests, use) {
    const { mode, copy } = use(receitaFederal);
    if (mode === 'live') return requests.map(() => Promise.reject(noCopy()));
    const pages = copy
      .history(requests.map(({ company, fields, ...page }) => ({ ...page, fields: fields.filter(isOfRegistry), cnpj: company.taxId })))
      .catch((error: Error) => failureOfRead('receita_federal', error));
    return requests.map(async (_, i) => answerAt(await pages, i));
  },
};

const isOfRegistry = (field: HistoryField): field is RegistryField => field !== 'partner_share';

const toPage = (page: RegistryPage | null): HistoryPage | null =>
  page && {
    ...page,
    changes: page.changes.map(({ partner, ...change }) => ({ ...change, partner: partner && { ...toOwner(partner), share: null } })),
    coverage: null,
  };

/** A company that the file does not have may exist all the same, so its page is empty if the registry has it. */
async function loadOwnershipHistory({ company, ...page }: HistoryRequest, load: Load): Promise<Answer<HistoryPage | null>> {
  const { value, freshness } = await load(ownershipHistoryLoader, { ...page, rut: company.taxId });
  const isInFile = value.isListed || value.changes.length > 0 || page.after !== null;
  if (!isInFile && (await load(siiRecordLoader, company)).value.company === null) return { value: null, freshness };
  const { names, ages } = await loadNames(
    value.changes.flatMap(({ owner }) => (owner !== null && owner !== 'people' ? [owner.rut] : [])),
    load,
  );
  return { value: toOwnershipPage(value, names), freshness: oldest([freshness, ...ages]) };
}

const toOwnershipPage = (
  { changes, hasMore, coveredFrom, coveredTo }: OwnershipHistory,
  names: ReadonlyMap<string, string | null>,
): HistoryPage => ({
  changes: changes.map((change) => toOwnershipChange(change, names)),
  hasMore,
  coveredFrom,
  coveredTo,
  coverage: coverageMessages.ownersFiles({ from: coveredFrom, to: coveredTo }),
});

const NOTHING_ELSE = { beforeCode: null, afterCode: null, establishment: null } as const;

/** Converts a change. A partner that joined or left is named in the texts, as in the history of a Brazilian company. */
function toOwnershipChange({ owner, before, after, ...change }: OwnershipChange, names: ReadonlyMap<string, string | null>): HistoryChange {
  if (owner === null) return { ...change, ...NOTHING_ELSE, before: null, after: null, partner: null };
  const identifier = owner === 'people' ? null : owner.rut;
  const name = identifier === null ? '' : (names.get(identifier) ?? formatRut(identifier));
  const text = name || DECLARED_PEOPLE;
  const { field } = change;
  return {
    ...change,
    ...NOTHING_ELSE,
    before: field === 'partner_left' ? text : field === 'partner_joined' ? null : before,
    after: field === 'partner_joined' ? text : field === 'partner_left' ? null : after,
    partner: {
      name,
      role: PARTNER_ROLE,
      entityType: identifier === null ? 'natural_persons' : 'company',
      identifier,
      entryDate: null,
      country: null,
      share: field === 'partner_left' ? before : after,
    },
  };
}
