import { derive } from '../../../domain/answer.ts';
import { type CompanyKey, companyKeyText } from '../../../domain/company.ts';
import { hasLostCharacters } from '../../../domain/encoding.ts';
import { orUnavailable } from '../../../loaders/derived-from.ts';
import type { DerivedLoader } from '../../../loaders/loader.ts';
import { ruesLoader } from '../../../loaders/rues.ts';
import { type ReceitaTaxpayer, type Taxpayer, taxpayerLoader } from '../../../loaders/taxpayer.ts';
import type { ReceitaCompany } from '../../../sources/receita-federal/company.ts';
import type { RuesFinding } from '../../../sources/rues/company.ts';
import type { CompanyProfile } from '../../enrich/domain.ts';
import { taxProfileLoader } from '../../enrich/loader.ts';
import type { DeclaredOwners } from '../../owners/domain/declared.ts';
import { DECLARED_PEOPLE, declaredOwnersLoader } from '../../owners/loaders/declared.ts';
import type { Snapshot } from '../domain/change.ts';
import { MAX_LISTED_OWNERS, type RecordSnapshot, type WatchedOwner, type WatchedOwners } from '../domain/record.ts';
import { summarised } from './summarised-owners.ts';

/**
 * CompanyKey (BR, CL, CO) → the watched fields of the company, as its registry reports them now.
 * @throws AppError SOURCE_UNAVAILABLE
 */
export const observedLoader: DerivedLoader<CompanyKey, Snapshot> = {
  name: 'observed',
  key: companyKeyText,
  async answer(key, load) {
    if (key.country === 'CO') return derive(await load(ruesLoader, key), ofRegister);
    const [profile, { value: taxpayer }, owners] = await Promise.all([
      load(taxProfileLoader, key),
      load(taxpayerLoader, key),
      key.country === 'CL' ? orUnavailable(load(declaredOwnersLoader, { country: 'CL', taxId: key.taxId })) : null,
    ]);
    return derive(profile, (found) => toSnapshot(found, taxpayer, owners?.value ?? null));
  },
};

/** Snapshot of a company that its registry does not have. */
const ABSENT: Snapshot = { status: 'not_found', size: null, activity: null };

const toSnapshot = (profile: CompanyProfile | null, taxpayer: Taxpayer, owners: DeclaredOwners | null): Snapshot =>
  profile === null
    ? ABSENT
    : {
        status: profile.status,
        size: profile.size,
        activity: profile.activity ?? profile.activityCode,
        activityCode: profile.activityCode,
        ...toRecord(taxpayer),
        ...fromFileOfOwners(owners),
      };

function toRecord(taxpayer: Taxpayer): RecordSnapshot {
  if (taxpayer.record === null) return {};
  return taxpayer.source === 'sii' ? { name: taxpayer.record.name || null } : fromReceita(taxpayer.record, taxpayer);
}

/**
 * Returns the owners of a Chilean company with their shares. They are unknown if the file has no composition of the company, if a row of it
 * could not be read, and while the file is unavailable, so that none of these counts as an owner who left.
 */
function fromFileOfOwners(found: DeclaredOwners | null): Pick<RecordSnapshot, 'owners'> {
  if (found === null || found.composition.status !== 'published') return {};
  const owners = found.owners.map(({ entityType, name, identifier, share }): WatchedOwner => {
    const { percent } = share;
    return entityType === 'company'
      ? { kind: 'company', name, document: identifier, share: percent }
      : { kind: 'people', name: DECLARED_PEOPLE, document: null, share: percent };
  });
  return { owners: summarised(owners) };
}

function fromReceita(
  { legalName, partners, capital, state, municipality, specialSituation }: ReceitaCompany,
  { partnersMayLack }: Pick<ReceitaTaxpayer, 'partnersMayLack'>,
): RecordSnapshot {
  const owners = toOwners(partners);
  return {
    name: legalName || null,
    ...(owners && { owners: { ...owners, ...(partnersMayLack && { mayLack: true }) } }),
    ...(capital !== null && { capital }),
    ...(state !== null && municipality !== null && { address: `${municipality}/${state}` }),
    special_situation: specialSituation,
  };
}

/**
 * Returns the partners of a snapshot; undefined if they are unknown: the mirror has none, or the name of one is missing. The partners of a
 * list that is too long to be stored are also unknown if a name has lost characters or no document is known, because their digests differ.
 */
function toOwners(partners: ReceitaCompany['partners']): WatchedOwners | undefined {
  if (partners === null || partners.some(({ name }) => name === '')) return undefined;
  const isListed = partners.length <= MAX_LISTED_OWNERS;
  const isIncomplete = partners.some(({ name }) => hasLostCharacters(name)) || partners.every(({ document }) => document === null);
  if (!isListed && isIncomplete) return undefined;
  return summarised(partners.map(({ kind, name, document }) => ({ kind, name, document })));
}

/** The register names no size, capital or address, and describes no activity. Its only officer is the legal representative. */
function ofRegister({ record }: RuesFinding): Snapshot {
  if (record === null) return ABSENT;
  const [code = null] = record.activities;
  const { representative } = record;
  const owners = representative
    ? [{ kind: representative.isCompany ? 'company' : 'person', name: representative.name, document: null } as const]
    : [];
  return {
    status: record.status,
    size: null,
    activity: code,
    activityCode: code,
    name: record.name,
    owners: summarised(owners),
    last_renewed_year: record.lastRenewedYear,
  };
}
