import { createHash } from 'node:crypto';
import type { Owned } from '../../db/paging.ts';
import { derive } from '../../domain/answer.ts';
import { type CompanyKey, companyKeyText } from '../../domain/company.ts';
import { hasLostCharacters } from '../../domain/encoding.ts';
import type { DerivedLoader } from '../../loaders/loader.ts';
import { rowLoadersOf } from '../../loaders/rows.ts';
import { type Taxpayer, taxpayerLoader } from '../../loaders/taxpayer.ts';
import type { ReceitaCompany } from '../../sources/receita-federal/company.ts';
import { attemptsOfDeliveries, deliveriesReporting, findDeliveries, pageDeliveries } from '../../webhooks/store/delivery-log.ts';
import type { CompanyProfile } from '../enrich/domain.ts';
import { taxProfileLoader } from '../enrich/loader.ts';
import type { Snapshot } from './domain/change.ts';
import { MAX_LISTED_OWNERS, ownerKey, type RecordSnapshot, type WatchedOwners } from './domain/record.ts';
import { countChanges, findChanges, pageChangeLog, pageChangesOfCompanies, pageChangesOfMonitors } from './store/change-log.ts';
import { pageHeldChanges } from './store/held-changes.ts';
import { findMonitors, identifiersOf, MONITOR, pageCompanies, pageMonitors, pageMonitorsWatching } from './store/monitors.ts';
import { readCheckProgress } from './store/watched-companies.ts';

/**
 * CompanyKey (BR, CL) → the watched fields of the company, as its tax registry reports them now.
 * @throws AppError UNSUPPORTED_COUNTRY, SOURCE_UNAVAILABLE
 */
export const observedLoader: DerivedLoader<CompanyKey, Snapshot> = {
  name: 'observed',
  key: companyKeyText,
  async answer(key, load) {
    const [profile, { value: taxpayer }] = await Promise.all([load(taxProfileLoader, key), load(taxpayerLoader, key)]);
    return derive(profile, (found) => toSnapshot(found, taxpayer));
  },
};

const toSnapshot = (profile: CompanyProfile | null, taxpayer: Taxpayer): Snapshot =>
  profile === null
    ? { status: 'not_found', size: null, activity: null }
    : {
        status: profile.status,
        size: profile.size,
        activity: profile.activity ?? profile.activityCode,
        activityCode: profile.activityCode,
        ...toRecord(taxpayer),
      };

function toRecord({ source, record }: Taxpayer): RecordSnapshot {
  if (record === null) return {};
  return source === 'sii' ? { name: record.name || null } : fromReceita(record);
}

function fromReceita({ legalName, partners, capital, state, municipality, specialSituation }: ReceitaCompany): RecordSnapshot {
  const owners = toOwners(partners);
  return {
    name: legalName || null,
    ...(owners && { owners }),
    ...(capital !== null && { capital }),
    ...(state !== null && municipality !== null && { address: `${municipality}/${state}` }),
    special_situation: specialSituation,
  };
}

/**
 * Returns the partners of a snapshot; undefined if they are unknown: the mirror has none, or the name of one is missing. The partners of a
 * list that is too long to be stored are also unknown if a name has lost characters, because the digests of its spellings differ.
 */
function toOwners(partners: ReceitaCompany['partners']): WatchedOwners | undefined {
  if (partners === null || partners.some(({ name }) => name === '')) return undefined;
  const isListed = partners.length <= MAX_LISTED_OWNERS;
  if (!isListed && partners.some(({ name }) => hasLostCharacters(name))) return undefined;
  const owners = partners.map(({ kind, name, document }) => ({ kind, name, document }));
  const digest = createHash('sha256')
    .update(JSON.stringify(owners.map(ownerKey).sort()))
    .digest('hex');
  return { count: owners.length, digest, listed: isListed ? owners : null };
}

const rowsOf = rowLoadersOf('monitor');

/** Loads a monitor, active or cancelled; null if it does not exist. */
export const monitorLoader = rowsOf('monitor', findMonitors);
/** Loads the tax ids of a monitor; none if it does not exist. */
export const identifiersLoader = rowsOf('identifiers_of_monitor', identifiersOf);
/** Loads a page of the active monitors, newest first. */
export const monitorsLoader = rowsOf('monitors', pageMonitors);
/** Loads a page of the active monitors that watch a company, newest first. */
export const watchingLoader = rowsOf('monitors_watching', pageMonitorsWatching);
/** Loads the progress of the checks of a monitor's companies; null if the monitor does not exist. */
export const checkProgressLoader = rowsOf('check_progress', readCheckProgress);
/** Loads a page of the companies that a monitor watches, in the order of its identifiers. */
export const watchedLoader = rowsOf('monitored_companies', pageCompanies);

/** Loads a page of the held changes of the companies that a key watches, by company and source. */
export const heldChangesLoader = rowsOf('held_changes', pageHeldChanges);

/** Loads a change; null if it does not exist. */
export const changeLoader = rowsOf('change', findChanges);
/** Loads a page of the changes of a monitor, newest first. */
export const monitorChangesLoader = rowsOf('changes_of_monitor', pageChangesOfMonitors);
/** Loads a page of the changes of a company, newest first. */
export const companyChangesLoader = rowsOf('changes_of_company', pageChangesOfCompanies);
/** Loads a page of the change log, oldest first. */
export const changeLogLoader = rowsOf('change_log', pageChangeLog);
/** Counts the changes after a position of the change log. */
export const changeCountLoader = rowsOf('change_count', countChanges);

/** Loads a delivery; null if it does not exist. */
export const deliveryLoader = rowsOf('delivery', (db, queries: readonly Owned[]) => findDeliveries(db, MONITOR, queries));
/** Loads the deliveries of a change. */
export const changeDeliveriesLoader = rowsOf('deliveries_of_change', deliveriesReporting);
/** Loads a page of a monitor's deliveries, newest first. */
export const monitorDeliveriesLoader = rowsOf('deliveries_of_monitor', pageDeliveries);
/** Loads the attempts of a delivery, in their order. */
export const attemptsLoader = rowsOf('attempts_of_delivery', attemptsOfDeliveries);
