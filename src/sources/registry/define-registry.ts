import { failureOfRead } from '../../db/unavailable.ts';
import { sourceUnavailable } from '../../domain/errors.ts';
import type { Address, OffReason, SettingSpec, SourceDeps } from '../source.ts';
import { type CopyOptions, fingerprint, goodUntil, originOf, readUsable, requireUsable, statusOfCopy, syncCopy } from './copy-sync.ts';
import { createListViews } from './list-view.ts';
import type { ListEntry, ListHits, PublisherTerms, Registry, RegistrySource, RegistrySpec } from './registry.ts';
import { createRegistryStore } from './store.ts';
import { syncFromPublisher } from './sync.ts';

/**
 * Defines the source of a published list: it copies the list to Postgres and answers from the copy. Without an address, without the
 * acceptance of its terms, or without the key that it requires, it is switched off.
 */
export const defineRegistry = <R>(spec: RegistrySpec<R>): RegistrySource<R> => ({
  spec,
  name: spec.name,
  attribution: spec.attribution,
  addresses: { [spec.setting]: spec.address },
  ...settingsOf(spec),
  create: (deps) => {
    const address = deps.address(spec.setting);
    const key = spec.credential ? deps.setting(spec.credential.setting) : '';
    const off = offReason(spec, address, key, deps);
    if (off) return switchedOff(spec, address.origin, off);
    return createRegistry(spec, address, spec.credential && key !== '' ? { [spec.credential.header]: key } : {}, deps);
  },
});

/** Returns what switches a list off; null for a list that is on. */
function offReason(
  { setting, terms, credential }: RegistrySpec<unknown>,
  address: Address,
  key: string,
  deps: SourceDeps,
): OffReason | null {
  if (address.url === '') return { why: 'the list has no address', setting };
  if (terms && deps.setting(terms.setting) !== ACCEPTED) return { why: 'the operator has not accepted its terms', setting: terms.setting };
  const needsKey = credential && !credential.isOptional && address.origin === 'live';
  return needsKey && key === '' ? { why: 'the list has no key', setting: credential.setting } : null;
}

/** Returns the settings of a list beside its address; none for most lists. */
function settingsOf({ terms, credential }: RegistrySpec<unknown>): Pick<RegistrySource<unknown>, 'settings'> {
  const settings = {
    ...(terms && { [terms.setting]: termsSetting(terms) }),
    ...(credential && { [credential.setting]: credential.spec }),
  };
  return Object.keys(settings).length > 0 ? { settings } : {};
}

const ACCEPTED = 'accepted';

const termsSetting = ({ description }: PublisherTerms): SettingSpec => ({
  description,
  fallback: '',
  sandbox: ACCEPTED,
  pattern: /^(accepted)?$/,
  expected: 'expected accepted, or nothing',
});

const NEVER = new AbortController().signal;

function createRegistry<R>(
  spec: RegistrySpec<R>,
  address: Address,
  headers: Readonly<Record<string, string>>,
  { db, now, log, tempDir }: SourceDeps,
): Registry<R> {
  const origin = originOf(address);
  const label = `${spec.name.toLowerCase()}-${fingerprint(origin)}`;
  const store = createRegistryStore<R>(db, spec.name, origin, log);
  const copy: CopyOptions = {
    name: spec.name,
    origin: address.origin,
    schemaVersion: spec.schemaVersion,
    staleAfterMs: spec.staleAfterMs,
    maxAgeMs: address.origin === 'live' ? spec.maxAgeMs : undefined,
    store,
    now,
    log,
  };
  const views = createListViews<R>((where) => store.records(where), log);
  let known: string | null = null;
  const setKnown = (version: string | null) => {
    known = version;
    if (version !== null) views.follow(version);
  };

  return {
    spec,
    name: spec.name,
    everyMs: spec.everyMs,

    async lookup(holders): Promise<ListHits<R>> {
      const { version, goodUntil, entries } = await readUsable(copy, store.find(holders));
      return { version, goodUntil, entries: byHolder(holders, entries) };
    },

    async view(view) {
      try {
        const { version } = await store.state();
        requireUsable(copy, version);
        return { ...(await views.get(view, version.id)), goodUntil: goodUntil(copy, version), checkedAt: version.checkedAt };
      } catch (error) {
        throw failureOfRead(spec.name, error as Error);
      }
    },

    viewVersion: (view) => views.built(view)?.version.id ?? null,

    version: () => known,

    async refresh() {
      const { version } = await store.state();
      setKnown(version?.schemaVersion === spec.schemaVersion ? version.id : null);
    },

    async sync({ force = false, signal = NEVER } = {}) {
      const run = { spec, address, headers, now, tempDir, label, force, signal, log };
      const work = () => store.exclusively((replace, own) => syncFromPublisher({ ...run, store: own }, replace), signal);
      const result = await syncCopy(copy, work, signal);
      if ('version' in result) setKnown(result.version.id);
      return result;
    },

    status: async () => statusOfCopy(copy, await store.state()),
  };
}

/** Groups entries by the requested holders; a holder without entries gets an empty array. */
function byHolder<R>(holders: readonly string[], entries: readonly ListEntry<R>[]): ReadonlyMap<string, readonly ListEntry<R>[]> {
  const found = new Map<string, ListEntry<R>[]>(holders.map((holder) => [holder, []]));
  for (const entry of entries) {
    for (const key of new Set(entry.keys)) found.get(key)?.push(entry);
  }
  return found;
}

/** Creates a list that is switched off. It has no sync and no version, and every lookup fails. */
const switchedOff = <R>(spec: RegistrySpec<R>, origin: Address['origin'], offBecause: OffReason): Registry<R> => ({
  spec,
  name: spec.name,
  everyMs: spec.everyMs,
  off: true,
  async lookup() {
    throw sourceUnavailable(spec.name, offBecause.why);
  },
  async view() {
    throw sourceUnavailable(spec.name, offBecause.why);
  },
  viewVersion: () => null,
  version: () => null,
  async refresh() {},
  async sync() {
    return { outcome: 'refused', reason: 'switched_off' };
  },
  async status() {
    return {
      name: spec.name,
      kind: 'list',
      origin,
      lastSuccessAt: null,
      lastErrorAt: null,
      lastError: null,
      circuit: 'closed',
      list: null,
      usable: false,
      off: true,
      offBecause,
    };
  },
});
