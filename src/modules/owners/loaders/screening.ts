import { createHash } from 'node:crypto';
import { type Answer, derive, type Freshness, oldest } from '../../../domain/answer.ts';
import { CHOSEN_SANCTIONS_LISTS, type ComplianceModule, type ModuleName, type SourceName } from '../../../domain/catalogue.ts';
import { type CompanyKey, legalPersonText, readCompanyKey } from '../../../domain/company.ts';
import { isMaskedCpf } from '../../../domain/personal-ids.ts';
import { isProblem, readRut } from '../../../domain/tax-id.ts';
import { brazilianDate, isoDate } from '../../../domain/time.ts';
import type { LoaderTime } from '../../../loaders/derived-cache.ts';
import { type Lookup, readTogether } from '../../../loaders/derived-from.ts';
import type { Listing } from '../../../loaders/list.ts';
import type { DerivedLoader, Load } from '../../../loaders/loader.ts';
import { type Explained, explained, nameMessages } from '../../../messages/names.ts';
import { compareNames } from '../../../names/compare-names.ts';
import { cnpjMatch, type HolderDocuments, personOf, UNREADABLE_ROWS } from '../../../sources/registry/company-documents.ts';
import { sanctionType } from '../../debarment/domain.ts';
import { debarmentListings, optionalBanListings } from '../../debarment/loader.ts';
import { companyListing, type NamedList, requireCleared } from '../../debarment/loaders/company-listing.ts';
import type { DebarmentEntry } from '../../debarment/sources/entry.ts';
import { laborListing } from '../../labor/loader.ts';
import type { LaborEntry } from '../../labor/source.ts';
import type { Candidate } from '../../sanctions/domain/candidate.ts';
import { isInForce, SANCTIONS_LISTS, type SanctionsList } from '../../sanctions/domain.ts';
import { sanctionsListings, toSanctionsMatch } from '../../sanctions/loader.ts';
import { companyNames, personNames } from '../../sanctions/loaders/candidates.ts';
import { recordDigest, type SanctionsEntry, termsOf } from '../../sanctions/sources/entry.ts';
import type { NotComparable, OwnerCandidate, ScreenedOwner } from '../domain.ts';

/** The candidates of a list for an owner, best first, or the reason for which the owner cannot be compared. */
export type OwnerListAnswer = readonly OwnerCandidate[] | NotComparable;

/** ScreenedOwner → candidates of one list. The answer is part of an answer about the owners, so it is not counted. */
export interface OwnerListLoader extends DerivedLoader<ScreenedOwner, OwnerListAnswer> {
  readonly list: SourceName;
  readonly module: ModuleName;
  readonly included: true;
}

/** The lists that owners are compared with, and the module by which a key may read the dismissals of its account. */
export interface OwnerListScreening {
  readonly module: 'owners' | ComplianceModule;
  /** Lists that are read without a choice. */
  readonly lists: readonly OwnerListLoader[];
  /** Lists that are read only for an account that has chosen them. */
  readonly optional: readonly OwnerListLoader[];
}

interface ComparedList {
  readonly list: SourceName;
  /** Module that offers the data of the list. */
  readonly module: ModuleName;
  readonly compare: Lookup<ScreenedOwner, OwnerListAnswer>;
}

/** Returns a company by its CNPJ or RUT; null for a person, and for a company without an id. */
function companyOf({ entityType, identifier }: ScreenedOwner): CompanyKey | null {
  if (entityType === 'individual' || identifier === null) return null;
  const found = [readCompanyKey('BR', identifier), readCompanyKey('CL', identifier)];
  return found.find((one): one is CompanyKey<'BR' | 'CL'> => !('problem' in one)) ?? null;
}

/**
 * Returns the CNPJ of a company, or the masked CPF of a person, by which Brazilian lists name them; null if the registry has none, as for
 * most foreigners, and for a Chilean company.
 */
function documentOf(owner: ScreenedOwner): string | null {
  const { entityType, identifier } = owner;
  if (entityType === 'individual') return identifier && isMaskedCpf(identifier) ? identifier : null;
  const company = companyOf(owner);
  return company?.country === 'BR' ? company.taxId : null;
}

/** Returns the name to compare. A Chilean company without a name has its RUT as its name, which is not compared. */
const nameOf = ({ name }: ScreenedOwner): string => (isProblem(readRut(name)) ? name.trim() : '');

/** The data of a listed party or record, without those about the match. */
type Listed = Omit<OwnerCandidate, 'matchedName' | 'matchedOn' | 'decision' | 'score' | keyof Explained>;

const byTaxId = (listed: Listed, matchedOn: 'tax_id' | 'root', printed: string): OwnerCandidate => ({
  ...listed,
  matchedName: listed.entryName,
  matchedOn,
  decision: 'match',
  score: 1,
  ...explained([matchedOn === 'tax_id' ? nameMessages.sameTaxId({ id: printed }) : nameMessages.otherBranch({ id: printed })]),
});

/** Returns the candidates of a list by name. Its measures, which only lists that are chosen print, follow the programmes. */
const byName = (found: readonly Candidate[] | null): OwnerListAnswer =>
  found?.map((candidate) => ({ ...candidate, programs: [...candidate.programs, ...candidate.measures] })) ?? 'no_name';

/** Creates the comparison with a sanctions list: people and companies by name, companies also by tax id. */
function sanctionsList(list: SanctionsList): ComparedList {
  const [listing, ofCompanies, ofPersons] = [sanctionsListings[list], companyNames[list], personNames[list]];
  const named = readTogether(
    [(owner: ScreenedOwner, load: Load) => load(owner.entityType === 'company' ? ofCompanies : ofPersons, nameOf(owner))],
    ([found]) => derive(found, byName),
  );
  return {
    list,
    module: 'sanctions',
    compare(owner, load, time) {
      const company = companyOf(owner);
      if (company === null) return named(owner, load, time);
      const found = withTaxId(company, Promise.all([load(listing, legalPersonText(company)), named(owner, load, time)]));
      return owner.name !== '' && nameOf(owner) === '' ? found.then(withoutName) : found;
    },
  };
}

/** A company whose name is not known is not clear of a list by its tax id alone. */
const withoutName = ({ value, freshness }: Answer<OwnerListAnswer>): Answer<OwnerListAnswer> => ({
  value: value.length === 0 ? 'no_name' : value,
  freshness,
});

/** Combines candidates: a party with the tax id precedes one with a similar name. */
async function withTaxId(
  company: CompanyKey,
  answers: Promise<[listing: Answer<Listing<SanctionsEntry>>, named: Answer<OwnerListAnswer>]>,
): Promise<Answer<OwnerListAnswer>> {
  const [{ value: listing, freshness }, resembling] = await answers;
  const list = listing.list as SanctionsList;
  const identified = listing.entries.flatMap((entry) => {
    const { uid: entityId, name: entryName, countries, nationalities, datesOfBirth } = entry.record;
    const { measures, startsOn, endsOn } = termsOf(entry.record);
    const listed = {
      list,
      entityId,
      entryName,
      recordDigest: recordDigest(entry.record),
      programs: [...entry.record.programs, ...measures],
    };
    const facts = { ...listed, countries, nationalities, datesOfBirth, startsOn, endsOn };
    return toSanctionsMatch(list, entry, company).map(({ matchedOn, matchedIdValue }) => byTaxId(facts, matchedOn, matchedIdValue));
  });
  return {
    value: [...identified, ...(typeof resembling.value === 'string' ? [] : resembling.value)],
    freshness: oldest([freshness, resembling.freshness]),
  };
}

/** The fields of a Brazilian list record that are matched and displayed. */
interface BrazilianRecord extends HolderDocuments, Pick<OwnerCandidate, 'programs' | 'startsOn' | 'endsOn'> {
  readonly name: string;
}

/**
 * Creates the comparison with a Brazilian list: companies by the root of the CNPJ; people by the visible digits of the CPF, then by name. A
 * list with a row whose id cannot be read, and whose name is like that of an owner, does not clear the owner.
 * @param hasPeople false for a list of which only the companies are stored
 */
function brazilianList<R extends HolderDocuments>(
  module: ModuleName,
  named: NamedList<R>,
  read: (record: R) => BrazilianRecord,
  hasPeople = true,
): ComparedList {
  /** True for a list that has a record in force: an ended one says nothing about a row whose id cannot be read. */
  const decides = ({ entries }: Listing<R>, today: string): boolean => entries.some(({ record }) => isInForce(read(record), today));
  /** Returns the comparison of an owner with this document. */
  const withDocument = (document: string): Lookup<ScreenedOwner, OwnerListAnswer> =>
    readTogether(
      [
        (owner: ScreenedOwner, load: Load, time: LoaderTime) =>
          owner.entityType === 'company'
            ? companyListing(named, { namesOf: async () => [owner.name], decides })({ country: 'BR', taxId: document }, load, time)
            : load(named.list, personOf(document)),
        (_owner: ScreenedOwner, load: Load) => load(named.list, UNREADABLE_ROWS),
      ],
      ([{ value, freshness }, { value: unreadable }], owner) => {
        const { list, entries } = value;
        const records = entries.map(({ id, record }) => ({ entityId: id, recordDigest: digestOf(record), ...read(record) }));
        if (owner.entityType === 'company') return { value: sameCompany(document, list, records), freshness };
        if (records.length === 0 && unreadable.entries.length === 0) return { value: [], freshness };
        return samePerson(owner.name, list, records).then(async (candidates) => {
          if (candidates.length === 0) await requireCleared(named, [owner.name], unreadable);
          return { value: candidates, freshness };
        });
      },
    );
  return {
    list: named.list.name as SourceName,
    module,
    compare(owner, load, time) {
      if (!hasPeople && owner.entityType === 'individual') return { value: 'companies_only', freshness: justNow(time.now()) };
      const document = documentOf(owner);
      if (document === null) return { value: 'no_tax_id', freshness: justNow(time.now()) };
      return withDocument(document)(owner, load, time);
    },
  };
}

const justNow = (now: number): Freshness => ({ fetchedAt: now, dataAsOf: null, cached: false, stale: false, expiresAt: null });

/** SHA-256 of a record, hexadecimal. It excludes the id, because the list of employers renumbers its rows in each version. */
const digestOf = (record: unknown): string => createHash('sha256').update(JSON.stringify(record)).digest('hex');

type IdentifiedRecord = BrazilianRecord & Pick<OwnerCandidate, 'entityId' | 'recordDigest'>;

const toListed = (list: SourceName, { entityId, recordDigest, name, programs, startsOn, endsOn }: IdentifiedRecord): Listed => ({
  list,
  entityId,
  entryName: name,
  recordDigest,
  programs,
  startsOn,
  endsOn,
  countries: [],
  nationalities: [],
  datesOfBirth: [],
});

const sameCompany = (cnpj: string, list: SourceName, records: readonly IdentifiedRecord[]): readonly OwnerCandidate[] =>
  records.map((record) => {
    const match = cnpjMatch(record, cnpj);
    return byTaxId(toListed(list, record), match.matchedOn === 'cnpj' ? 'tax_id' : 'root', match.cnpj);
  });

/** @param records records with the visible digits of the person's CPF */
async function samePerson(name: string, list: SourceName, records: readonly IdentifiedRecord[]): Promise<OwnerListAnswer> {
  const hits = await compareNames(
    name,
    records.map((record) => record.name),
  );
  if (!hits) return 'no_name';
  return hits.flatMap(({ party, score, decision, sentences }) =>
    records
      .filter((record) => record.name === party)
      .map((record) => ({
        ...toListed(list, record),
        matchedName: party,
        matchedOn: 'name_and_cpf' as const,
        decision,
        score,
        ...explained([...sentences, nameMessages.sameCpfDigits({ id: record.document })]),
      })),
  );
}

const ofDebarment = ({ document, also, name, category, startsOn, endsOn }: DebarmentEntry): BrazilianRecord => ({
  document,
  also,
  name,
  programs: [sanctionType(category)],
  startsOn,
  endsOn,
});

const LISTS: readonly ComparedList[] = [
  ...SANCTIONS_LISTS.map(sanctionsList),
  ...debarmentListings.map((listing) => brazilianList('debarment', listing, ofDebarment)),
  brazilianList('labor', laborListing, ({ document, also, employer, listedOn, removedOn }: LaborEntry) => {
    return { document, also, name: employer, programs: [], startsOn: listedOn, endsOn: removedOn };
  }),
];

/**
 * Leaves out entries that have ended. On the lists that an account can choose they are history, as in the answers about companies (`isBan`,
 * `isInForce`).
 */
const inForce = ({ compare, ...one }: ComparedList, todayAt: (now: number) => string): ComparedList => ({
  ...one,
  compare: (owner, load, time) =>
    readTogether<ScreenedOwner, readonly [OwnerListAnswer], OwnerListAnswer>([compare], ([found]) => {
      const today = todayAt(time.now());
      return derive(found, (value) => (typeof value === 'string' ? value : value.filter((candidate) => isInForce(candidate, today))));
    })(owner, load, time),
});

/** The lists that an account can choose. Agreements of leniency are information, and no reason to review an owner. */
const OPTIONAL: readonly ComparedList[] = [
  ...CHOSEN_SANCTIONS_LISTS.map((list) => inForce(sanctionsList(list), isoDate)),
  ...optionalBanListings.map((listing) => inForce(brazilianList('debarment', listing, ofDebarment, false), brazilianDate)),
];

const loaderOf = ({ list, module, compare }: ComparedList, granting: ModuleName = module): OwnerListLoader => ({
  name: `${granting}_owners_${list}`,
  list,
  module: granting,
  included: true,
  key: ({ entityType, name, identifier }) => `${entityType} ${identifier} ${name}`,
  answer: compare,
});

/** The lists that owners are compared with in the module `owners`. Each needs the module that offers its data. */
export const ownerScreening: OwnerListScreening = {
  module: 'owners',
  lists: LISTS.map((one) => loaderOf(one)),
  optional: OPTIONAL.map((one) => loaderOf(one)),
};
/** The lists that owners are compared with in a consolidated check, by the module of the check. */
export const complianceOwnerScreenings: Readonly<Record<ComplianceModule, OwnerListScreening>> = {
  compliance_br: complianceScreening('compliance_br'),
  compliance: complianceScreening('compliance'),
};

function complianceScreening(module: ComplianceModule): OwnerListScreening {
  const granted = (lists: readonly ComparedList[]) => lists.map((one) => loaderOf(one, module));
  return { module, lists: granted(LISTS), optional: granted(OPTIONAL) };
}
