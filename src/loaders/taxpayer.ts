import { z } from 'zod';
import { failureOfRead } from '../db/unavailable.ts';
import type { Found } from '../domain/answer.ts';
import { MIRRORS, type Mirror } from '../domain/catalogue.ts';
import { type CompanyKey, type Country, companyKeyText, type RegistrationStatus, requireCountry } from '../domain/company.ts';
import { AppError } from '../domain/errors.ts';
import { HOUR_MS, MINUTE_MS } from '../domain/time.ts';
import type { Message } from '../messages/message.ts';
import { sourceMessages } from '../messages/sources.ts';
import { isActive, RECEITA_COMPANY, type ReceitaCompany } from '../sources/receita-federal/company.ts';
import { type CopyAnswer, SUPPRESSED } from '../sources/receita-federal/copy/reader.ts';
import { type ReceitaFederalCalls, receitaFederal } from '../sources/receita-federal/receita-federal.ts';
import type { SiiCompany, SiiHits } from '../sources/sii/sii.ts';
import { sii } from '../sources/sii/source.ts';
import { answered, COPY_CACHE, copyFacts } from './copy-facts.ts';
import { derivedFrom } from './derived-from.ts';
import { callEach, type DerivedLoader, type FetchingLoader } from './loader.ts';

export interface ReceitaTaxpayer {
  readonly source: 'receita_federal';
  readonly record: ReceitaCompany | null;
  /** The mirror of the registry that answered; null for an absence, which both must report. */
  readonly mirror: Mirror | null;
  /** True if the second mirror answers because the first one failed; absent else. */
  readonly standsIn?: true | undefined;
  /** True if it does, and the date of its copy could not be read and is tried again within a minute; absent else. */
  readonly isDateAwaited?: true | undefined;
  /** True if the own copy answers and has lost lines of partners, so that one of the company may be missing; absent else. */
  readonly partnersMayLack?: true | undefined;
}

export interface SiiTaxpayer {
  readonly source: 'sii';
  readonly record: SiiCompany | null;
}

/**
 * The record of a company in the copy of `sii`, also if its end is in doubt. It has no `source`, so that it is no `Taxpayer`, from which a
 * status can be read.
 */
export interface SiiRecord {
  /** Null if the registry does not have the company. */
  readonly company: SiiCompany | null;
  /** True if a row that cannot be read may state the end of its activities. `company.endedOn` then means nothing. */
  readonly isEndUnknown: boolean;
}

/** A tax registry's record of one company; `record` is null when the registry has none. */
export type Taxpayer = ReceitaTaxpayer | SiiTaxpayer;

/**
 * CompanyKey (BR) → its record at `receita_federal`, one live call per key, 16 at a time, or from the own copy by one statement
 * (QUIPU_RECEITA_MODE). Its date is that of the copy that answered. It is fresh for 6 h and stale up to 24 h; an absence for 15 min and up to 1 h, because new companies appear; a record whose
 * partners are unknown for 5 min, because a mirror is defective.
 */
export const receitaTaxpayerLoader: FetchingLoader<CompanyKey, ReceitaTaxpayer> = {
  name: 'receita_taxpayer',
  key: companyKeyText,
  cache: {
    ttlMs: ({ record }) => (record?.partners === null ? 5 * MINUTE_MS : record ? 6 * HOUR_MS : 15 * MINUTE_MS),
    maxStaleAgeMs: ({ record }) => (record?.partners === null ? 5 * MINUTE_MS : (record ? 24 : 1) * HOUR_MS),
  },
  schema: z.object({
    source: z.literal('receita_federal'),
    record: RECEITA_COMPANY.nullable(),
    mirror: z.enum(Object.keys(MIRRORS) as [Mirror, ...Mirror[]]).nullable(),
    standsIn: z.literal(true).optional(),
    isDateAwaited: z.literal(true).optional(),
    partnersMayLack: z.literal(true).optional(),
  }),
  cacheVersion(use) {
    const { mode, copy, erasures } = use(receitaFederal);
    if (mode === 'live') return null;
    return mode === 'copy' ? copy.cacheVersion() : `${copy.cacheVersion()}.${erasures.version()}`; // the mirrors' answers depend on both
  },
  batch(keys, use) {
    const source = use(receitaFederal);
    return source.mode === 'live' ? callMirrors(keys, source) : readCopy(keys, source);
  },
};

const callMirrors = (keys: readonly CompanyKey[], source: ReceitaFederalCalls): readonly Promise<Found<ReceitaTaxpayer>>[] =>
  callEach('receita_federal', keys, async ({ taxId }) => {
    const { value: record, dataAsOf, ...origin } = await source.datedCompany(taxId);
    return { value: { source: 'receita_federal', record, ...origin }, dataAsOf };
  });

/**
 * Reads all keys from the own copy by one statement. In the mode `copy-then-live` the mirrors are called for companies that the copy lacks
 * and for those of which it has no usable answer, except those that an operator has erased, which the source knows without the copy, too.
 */
function readCopy(keys: readonly CompanyKey[], source: ReceitaFederalCalls): readonly Promise<Found<ReceitaTaxpayer>>[] {
  const found = source.copy.find(keys.map(({ taxId }) => taxId)).catch((error: Error) => failureOfRead('receita_federal', error));
  const missing = found.then((answers) => {
    if (source.mode === 'copy') return new Map<string, Promise<Found<ReceitaTaxpayer>>>();
    const wanted = keys.filter(({ taxId }) => answers instanceof AppError || isWanted(answers.get(taxId)));
    return new Map(callMirrors(wanted, source).map((answer, i) => [wanted[i]?.taxId ?? '', answer]));
  });
  return keys.map(async ({ taxId }): Promise<Found<ReceitaTaxpayer>> => {
    const live = (await missing).get(taxId);
    if (live) return live;
    const answers = await found;
    const answer = answered('receita_federal', answers instanceof AppError ? answers : answers.get(taxId));
    const { value: record, partnersMayLack, ...facts } = answer;
    const mirror = record && 'registry_copy';
    return { value: { source: 'receita_federal', record, mirror, ...(partnersMayLack && { partnersMayLack }) }, ...facts };
  });
}

/** True if the mirrors are called for a company with this answer of the copy. */
const isWanted = (answer: CopyAnswer | undefined): boolean =>
  answer === undefined || (answer instanceof AppError ? answer !== SUPPRESSED : answer.value === null);

/**
 * CompanyKey (CL) → its record in the copy of `sii`, one SQL statement per batch. A company without a record is unknown, and not absent, while
 * the files have rows that cannot be read and may be about it. Its date is that of the files, or the day of their load if the registry states
 * none. It is fresh for 6 h and stale up to 24 h. A new version of the files invalidates the cache. It is for what needs only the existence or
 * the name of a company.
 * @throws AppError SOURCE_UNAVAILABLE
 */
export const siiRecordLoader: FetchingLoader<CompanyKey, SiiRecord> = {
  name: 'sii_record',
  key: companyKeyText,
  cache: COPY_CACHE,
  cacheVersion: (use) => use(sii).version(),
  batch: (keys, use) => {
    const hits = use(sii).companies(keys.map(({ taxId }) => taxId));
    return keys.map(({ taxId }) => hits.then((answer) => ({ value: siiRecord(taxId, answer), ...copyFacts(answer) })));
  },
};

/** Returns the record of a company. @throws AppError SOURCE_UNAVAILABLE for one without a record, if a row that cannot be read may be about it */
export function siiRecord(taxId: string, { companies, unread }: SiiHits): SiiRecord {
  const company = companies.get(taxId) ?? null;
  if (company === null && unread.has(taxId)) throw unreadable(sourceMessages.unreadableId({ list: 'sii' }));
  return { company, isEndUnknown: unread.has(taxId) };
}

const unreadable = (why: Message): AppError => new AppError('SOURCE_UNAVAILABLE', why, { source: 'sii', retryAfterSeconds: 30 });

/**
 * CompanyKey (CL) → its record in the copy of `sii`, for what depends on its status.
 * @throws AppError SOURCE_UNAVAILABLE as above, and if the end of its activities is unknown
 */
export const siiTaxpayerLoader: DerivedLoader<CompanyKey, SiiTaxpayer> = {
  name: 'sii_taxpayer',
  key: companyKeyText,
  answer: derivedFrom<Country, SiiRecord, SiiTaxpayer>(siiRecordLoader, ({ company, isEndUnknown }) => {
    if (isEndUnknown) throw unreadable(sourceMessages.unreadableEnd({ list: 'sii' }));
    return { source: 'sii', record: company };
  }),
};

/**
 * CompanyKey (BR, CL) → Taxpayer: the record that all checks of a company's registration are based on.
 * @throws AppError UNSUPPORTED_COUNTRY, SOURCE_UNAVAILABLE
 */
export const taxpayerLoader: DerivedLoader<CompanyKey, Taxpayer> = {
  name: 'taxpayer',
  key: companyKeyText,
  answer(key, load) {
    const country = requireCountry(key.country, ['BR', 'CL'], 'The tax registry');
    return country === 'BR' ? load(receitaTaxpayerLoader, key) : load(siiTaxpayerLoader, key);
  },
};

/** Returns the legal name and the trade name of a company; empty if the registry has none. */
export function registeredNames({ source, record }: Taxpayer): readonly string[] {
  if (record === null) return [];
  const names = source === 'sii' ? [record.name] : [record.legalName, record.tradeName ?? ''];
  return [...new Set(names.map((one) => one.trim()).filter((one) => one !== ''))];
}

/**
 * Returns the registration status of a company. BR: only ATIVA and ATIVA NÃO REGULAR are active. CL: active until its activities end; a
 * company that never started any is inactive. A company in a yearly file or in the list of activities has started, even without a start
 * date.
 */
export function statusOf({ source, record }: Taxpayer): RegistrationStatus {
  if (record === null) return 'not_found';
  return (source === 'sii' ? goesOn(record) : isActive(record.registration)) ? 'active' : 'inactive';
}

const goesOn = (company: SiiCompany): boolean => company.endedOn === null && hasStarted(company);

/** False for a company that is registered and never started activities. */
export const hasStarted = ({ startedOn, commercialYear, activity }: SiiCompany): boolean =>
  (startedOn ?? commercialYear ?? activity) !== null;

/** Returns the ISO date of a company's first registration (of this establishment, for BR); null if the registry states none. */
export function foundedOn({ source, record }: Taxpayer): string | null {
  if (source === 'receita_federal') return record?.openedOn ?? null;
  const dates = [record?.startedOn, record?.firstRegisteredOn].filter((date) => date != null);
  return dates.toSorted()[0] ?? null;
}
