import { oldest } from '../../../domain/answer.ts';
import { CHOSEN_SANCTIONS_LISTS, type ComplianceModule, type SourceName } from '../../../domain/catalogue.ts';
import { type CompanyKey, companyKeyText } from '../../../domain/company.ts';
import { invalidInput } from '../../../domain/errors.ts';
import { type AccountLists, chosenOf } from '../../../domain/optional-lists.ts';
import { isoDate } from '../../../domain/time.ts';
import { companyNamesLoader } from '../../../loaders/company-names.ts';
import { COPY_CACHE } from '../../../loaders/copy-facts.ts';
import type { FetchingLoader, Offered } from '../../../loaders/loader.ts';
import { perRequest } from '../../../loaders/per-request.ts';
import { fieldMessages } from '../../../messages/fields.ts';
import type { Hit, NameIndex } from '../../../names/name-index.ts';
import { inSlices } from '../../../scheduling/slices.ts';
import type { BuiltView } from '../../../sources/registry/list-view.ts';
import type { RegistrySource } from '../../../sources/registry/registry.ts';
import { bestCandidates, type Candidate, type NameScreening } from '../domain/candidate.ts';
import { inListOrder, isInForce, SANCTIONS_LISTS, type SanctionsList } from '../domain.ts';
import { recordDigest, type SanctionsEntry, termsOf } from '../sources/entry.ts';
import { forEachList } from '../sources/lists.ts';
import { type NameView, nameView, personView } from '../sources/name-view.ts';
import { NO_DETAILS } from '../sources/party-details.ts';

/** Maximum length of a name that callers may give, in characters. */
export const MAX_SCREENED_NAME = 500;

/** A company, the name to compare instead of its registered ones, and the lists to compare it with. */
export interface ScreeningRequest {
  readonly company: CompanyKey;
  readonly name: string | null;
  /** Lists that the request has chosen, in the order of answers; null for those that are searched without a choice. */
  readonly lists: readonly SanctionsList[] | null;
}

export type CandidatesLoader = Offered<ScreeningRequest, NameScreening> & { readonly module: 'sanctions' | ComplianceModule };

/** Reads the name to screen; null if the caller gave none. @throws AppError INVALID_INPUT on `name` */
export function readScreenedName(name: string | null | undefined): string | null {
  if (name && name.length > MAX_SCREENED_NAME) throw invalidInput('name', fieldMessages.nameLength({ max: MAX_SCREENED_NAME }));
  return name ?? null;
}

/**
 * Reads the lists that a request has chosen, or the account beside those of every answer; null without a choice.
 * @throws AppError INVALID_INPUT on `lists` for an empty choice
 */
export function readChosenLists(
  lists: readonly SanctionsList[] | null | undefined,
  account: AccountLists,
): readonly SanctionsList[] | null {
  if (!lists) {
    const own = chosenOf(account.answers, CHOSEN_SANCTIONS_LISTS);
    return own.length === 0 ? null : inListOrder([...SANCTIONS_LISTS, ...own]);
  }
  if (lists.length === 0) throw invalidInput('lists', fieldMessages.oneList());
  return inListOrder(lists);
}

/** Returns the lists of a screening whose candidate is decided about: the list itself if it is searched only where it is chosen, else null. */
export const listsOfDecision = (list: SourceName): readonly SanctionsList[] | null =>
  CHOSEN_SANCTIONS_LISTS.some((one) => one === list) ? inListOrder([list as SanctionsList]) : null;

export type NamesLoader = FetchingLoader<string, readonly Candidate[] | null>;

/**
 * Name → its candidates on one list; null for a name without a word to compare. It searches the index in memory for all names of a batch
 * in one pass, in slices so that other requests run in between. An answer is fresh for 6 h and served stale up to 24 h. A new index
 * invalidates the cache.
 */
const namesLoader = (list: RegistrySource<SanctionsEntry>, names: NameView): NamesLoader => ({
  name: `${list.name}_${names.name}`,
  key: (name) => name,
  cache: COPY_CACHE,
  cacheVersion: (use) => use(list).viewVersion(names),
  batch: (texts, use) => {
    const searched = use(list)
      .view(names)
      .then(async (view) => ({ view, found: await searchNames(texts, list.name as SanctionsList, view) }));
    return texts.map((_, i) =>
      searched.then(({ view: { version, checkedAt, goodUntil }, found }) => ({
        value: found[i] ?? null,
        dataAsOf: version.publishedOn,
        fetchedAt: checkedAt,
        goodUntil,
      })),
    );
  },
});

/** Finds the candidates of each name on a list, in one pass with yields for other work; null for a name without a word to compare. */
export const searchNames = (
  names: readonly string[],
  list: SanctionsList,
  view: BuiltView<NameIndex<SanctionsEntry>>,
): Promise<readonly (readonly Candidate[] | null)[]> => inSlices(searchAll(names, list, view));

function* searchAll(names: readonly string[], list: SanctionsList, { value }: BuiltView<NameIndex<SanctionsEntry>>) {
  const found: (readonly Candidate[] | null)[] = [];
  for (const name of names) {
    const hits = value.reads(name) ? yield* value.searchInParts(name) : null;
    found.push(hits && bestCandidates(hits.map((hit) => toCandidate(list, name, hit))));
    yield;
  }
  return found;
}

const toCandidate = (list: SanctionsList, screenedName: string, hit: Hit<SanctionsEntry>): Candidate => ({
  list,
  entityId: hit.party.uid,
  entryName: hit.party.name,
  matchedName: hit.name.text,
  matchedOn: hit.name.matchedOn,
  screenedName,
  decision: hit.decision,
  score: hit.score,
  explanation: hit.explanation,
  sentences: hit.sentences,
  programs: hit.party.programs,
  countries: hit.party.countries,
  nationalities: hit.party.nationalities,
  datesOfBirth: hit.party.datesOfBirth,
  party: {
    aliases: hit.party.aliases.map(({ name }) => name),
    taxIds: hit.party.taxIds.map(({ type, value }) => `${type} ${value}`),
    reference: hit.party.reference,
    ...(hit.party.details ?? NO_DETAILS),
  },
  recordDigest: recordDigest(hit.party),
  ...termsOf(hit.party),
});

/** Names of companies → candidates, one loader per list. */
export const companyNames = forEachList((list) => namesLoader(list, nameView));
/** Names of people → candidates, one loader per list. */
export const personNames = forEachList((list) => namesLoader(list, personView));

/**
 * ScreeningRequest (BR, CL, CO) → NameScreening: the listed parties with names similar to the company's. It is part of a counted answer
 * about the company and not counted itself, except for `further` names.
 * @throws AppError SOURCE_UNAVAILABLE when the registry cannot be read, or a list cannot be read and the others have no candidate
 */
const candidatesLoader = (module: CandidatesLoader['module'], kind: 'part' | 'further'): CandidatesLoader => ({
  name: kind === 'part' ? `${module}_candidates` : `${module}_further_candidates`,
  module,
  ...(kind === 'part' && { included: true }),
  key: ({ company, name, lists }) => `${companyKeyText(company)} ${lists?.join() ?? ''} ${name ?? ''}`,
  async answer({ company, name, lists }, load, time) {
    const names = name?.trim() ? [name.trim()] : (await load(companyNamesLoader, company)).value;
    const searches = names.flatMap((one) => (lists ?? SANCTIONS_LISTS).map((list) => load(companyNames[list], one)));
    const answers = await Promise.allSettled(searches);
    const seen = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
    const today = isoDate(time.now());
    const candidates = bestCandidates(seen.flatMap(({ value }) => value ?? []).filter((one) => isInForce(one, today)));
    const failure = answers.find((answer) => answer.status === 'rejected');
    if (failure && candidates.length === 0) throw failure.reason;
    const nothing = { fetchedAt: time.now(), dataAsOf: null, cached: false, stale: false, expiresAt: null };
    return {
      value: { names, candidates: seen.some(({ value }) => value !== null) ? candidates : null },
      freshness: seen.length > 0 ? oldest(seen.map(({ freshness }) => freshness)) : nothing,
    };
  },
});

/** Loader for the check of a key with module sanctions, and for the consolidated check. */
export const sanctionsCandidatesLoader = candidatesLoader('sanctions', 'part');
export const complianceCandidatesLoaders: Readonly<Record<ComplianceModule, CandidatesLoader>> = {
  compliance_br: candidatesLoader('compliance_br', 'part'),
  compliance: candidatesLoader('compliance', 'part'),
};

/** Loaders for a name after the first one that a request screens for a company. Each such name counts as an answer of the module. */
const FURTHER: Readonly<Record<CandidatesLoader['module'], CandidatesLoader>> = {
  sanctions: candidatesLoader('sanctions', 'further'),
  compliance_br: candidatesLoader('compliance_br', 'further'),
  compliance: candidatesLoader('compliance', 'further'),
};

/** Company and module → the first name that the request screened, which is part of the answer about the company. */
const firstNamesOf = perRequest(() => new Map<string, string>());

/**
 * Selects the loader for a name: `loader` for the registered names and the first name that a request gives for a company, else one that is
 * counted.
 * @param scope the context of the request
 */
export function loaderOfName(loader: CandidatesLoader, { company, name }: ScreeningRequest, scope: object): CandidatesLoader {
  const given = name?.trim();
  if (!given) return loader;
  const first = firstNamesOf(scope);
  const key = `${loader.module} ${companyKeyText(company)}`;
  if (!first.has(key)) first.set(key, given);
  return first.get(key) === given ? loader : FURTHER[loader.module];
}
