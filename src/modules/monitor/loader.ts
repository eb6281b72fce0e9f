import { derive } from '../../domain/answer.ts';
import { type CompanyKey, companyKeyText } from '../../domain/company.ts';
import type { DerivedLoader } from '../../loaders/loader.ts';
import type { CompanyProfile } from '../enrich/domain.ts';
import { profileLoader } from '../enrich/loader.ts';
import type { Snapshot } from './domain/snapshot.ts';

/**
 * CompanyKey (BR, CL) → what is watched of the company, as its tax registry has it now.
 * @throws AppError UNSUPPORTED_COUNTRY, SOURCE_UNAVAILABLE
 */
export const observedLoader: DerivedLoader<CompanyKey, Snapshot> = {
  name: 'observed',
  key: companyKeyText,
  answer: async (key, load) => derive(await load(profileLoader, key), toSnapshot),
};

const toSnapshot = (profile: CompanyProfile | null): Snapshot =>
  profile === null
    ? { status: 'not_found', size: null, activity: null }
    : { status: profile.status, size: profile.size, activity: storable(profile.activity ?? profile.activityCode) };

/** What Postgres takes as JSON: one odd character from upstream must not stop the companies that are written together with its own. */
const storable = (text: string | null): string | null => text?.toWellFormed().replaceAll('\0', '') ?? null;
