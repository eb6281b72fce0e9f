import { type Found, live } from '../domain/answer.ts';
import type { CompanyKey } from '../domain/company.ts';
import { AppError, sourceUnavailable } from '../domain/errors.ts';
import { DAY_MS, HOUR_MS, SECOND_MS } from '../domain/time.ts';
import { siteMessages, unresolvedMessages } from '../messages/sources.ts';
import { chooseOwner, type RegistryNames, taxIdsToLookUp } from '../sources/domains/choose.ts';
import { type DomainKey, isHosted } from '../sources/domains/domain.ts';
import { knownDomains } from '../sources/domains/known-domains.ts';
import type { DomainOwner, Unresolved } from '../sources/domains/owner.ts';
import { rdap } from '../sources/domains/rdap.ts';
import { readSite } from '../sources/domains/read-site.ts';
import type { KnownOwner } from '../sources/domains/store.ts';
import type { PageCountry } from '../sources/domains/tax-numbers.ts';
import { receitaFederal } from '../sources/receita-federal/receita-federal.ts';
import { sii } from '../sources/sii/source.ts';
import type { Use } from '../sources/source.ts';
import { website } from '../sources/website/website.ts';
import { callEach, type FetchingLoader } from './loader.ts';
import { siiRecord } from './taxpayer.ts';

/** Times for which each kind of result is stored in the table before it is determined again. */
const SITE_MS = 30 * DAY_MS;
const SITE_UNCONFIRMED_MS = DAY_MS;
const REGISTRANT_MS = DAY_MS;
const NO_OWNER_MS = HOUR_MS;
/** Time for which an owner is cached in memory. It is short, so that an operator's correction takes effect within a minute. */
const MEMORY_MS = 30 * SECOND_MS;

/** Confidence of a registrant. It is below 1, because a company may hold the domains of its group or of its customers. */
const REGISTRANT_CONFIDENCE = 0.95;

/**
 * DomainKey → DomainOwner. It reads the table of known domains first, all keys in one SQL statement. For keys that are not in it, it
 * determines the owner, one domain per call and at most 16 concurrently: for `.br` the registrant (registro.br's RDAP); for `.cl`, and
 * when RDAP shows no registrant, the site's own pages, with each company that they mention looked up in its tax registry. Results are
 * stored in the table: 30 days for a site whose company the registry has, a day for RDAP and for a site whose registry lookup failed, an
 * hour for "no company". Failures are not stored.
 * @throws AppError SOURCE_UNAVAILABLE; INVALID_INPUT for a start URL that is never fetched
 */
export const domainOwnerLoader: FetchingLoader<DomainKey, DomainOwner> = {
  name: 'domain_owner',
  key: ({ domain, start }) => `${domain} ${start ?? ''}`,
  cache: { ttlMs: () => MEMORY_MS, maxStaleAgeMs: () => MEMORY_MS },
  batch: (keys, use) => {
    const knownOwners = use(knownDomains).find(keys);
    const questions = keys.map((key, index) => ({ key, index }));
    return callEach('website', questions, async ({ key, index }) => {
      const known = (await knownOwners)[index];
      if (known) return toFound(known);
      const { owner, ttlMs } = await determineOwner(key, use);
      await use(knownDomains).keep(key, owner, ttlMs);
      return live(owner);
    });
  },
};

/** Returns the company behind a domain. @throws AppError DOMAIN_NOT_RESOLVED with the reason when there is none */
export function requireOwner({ domain, company, reason }: DomainOwner): CompanyKey {
  if (company) return company;
  const why = reason ? unresolvedMessages[reason]() : siteMessages.leadsNowhere();
  throw new AppError('DOMAIN_NOT_RESOLVED', siteMessages.noCompany({ domain, reason: why }));
}

const toFound = ({ start: _, setBy: __, foundAt, expiresAt, ...owner }: KnownOwner): Found<DomainOwner> => ({
  value: owner,
  dataAsOf: null,
  fetchedAt: foundAt,
  ...(expiresAt !== null && { goodUntil: expiresAt }),
});

interface DeterminedOwner {
  readonly owner: DomainOwner;
  readonly ttlMs: number;
}

async function determineOwner(key: DomainKey, use: Use): Promise<DeterminedOwner> {
  if (!key.domain.endsWith('.br')) return fromSite(key, 'CL', use);
  if (isHosted(key.domain)) return fromSite(key, 'BR', use);
  const registrant = await use(rdap).registrant(key.domain);
  if (registrant.kind === 'hidden') return fromSite(key, 'BR', use);
  if (registrant.kind !== 'company') return noOwner(key, 'rdap', registrant.kind === 'person' ? 'person' : 'not_registered');
  const { cnpj, name } = registrant;
  const found = {
    company: { country: 'BR', taxId: cnpj },
    confidence: REGISTRANT_CONFIDENCE,
    evidence: { url: null, snippet: name ?? '', kind: 'registrant' },
  } as const;
  return { owner: { domain: key.domain, method: 'rdap', ...found, candidates: [], reason: null }, ttlMs: REGISTRANT_MS };
}

const noOwner = ({ domain }: DomainKey, method: 'rdap' | 'site', reason: Unresolved): DeterminedOwner => ({
  owner: { domain, company: null, confidence: 0, method, evidence: null, candidates: [], reason },
  ttlMs: NO_OWNER_MS,
});

async function fromSite(key: DomainKey, country: PageCountry, use: Use): Promise<DeterminedOwner> {
  const { outcome, pages, incomplete } = await readSite(use(website), key, country);
  if (outcome !== 'read') return noOwner(key, 'site', outcome);
  const ids = taxIdsToLookUp(pages, key.domain, country);
  const { names, failure } = await lookUpNames(ids, country, use);
  const verdict = chooseOwner(pages, key.domain, country, names);
  if (verdict.company === null) {
    // "No company" is an answer only if every page and every registry lookup succeeded.
    if (failure) throw failure;
    if (incomplete) throw sourceUnavailable('website', 'a page that may name the company could not be read');
  }
  const confirmedMs = failure ? SITE_UNCONFIRMED_MS : SITE_MS;
  return { owner: { domain: key.domain, method: 'site', ...verdict }, ttlMs: verdict.company ? confirmedMs : NO_OWNER_MS };
}

/** Looks up tax ids in their registry. Returns the names found, and the first failure if a lookup failed. */
async function lookUpNames(
  ids: readonly string[],
  country: PageCountry,
  use: Use,
): Promise<{ names: RegistryNames; failure: Error | null }> {
  const lookups = country === 'CL' ? namesFromSii(ids, use) : namesFromReceita(ids, use);
  const answers = await Promise.allSettled(lookups);
  const names = new Map(answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : [])));
  return { names, failure: answers.find((answer) => answer.status === 'rejected')?.reason ?? null };
}

type Named = readonly [taxId: string, name: string | null];

function namesFromSii(ruts: readonly string[], use: Use): readonly Promise<Named>[] {
  if (ruts.length === 0) return [];
  const hits = use(sii).companies(ruts);
  return ruts.map(async (rut): Promise<Named> => {
    const { company } = siiRecord(rut, await hits);
    return [rut, company?.name ?? null];
  });
}

const namesFromReceita = (cnpjs: readonly string[], use: Use): readonly Promise<Named>[] =>
  cnpjs.map(async (cnpj): Promise<Named> => [cnpj, (await use(receitaFederal).company(cnpj))?.legalName ?? null]);
