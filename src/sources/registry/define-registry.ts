import { sourceUnavailable } from '../../domain/errors.ts';
import { type Address, defineSource, type SourceDeps } from '../source.ts';
import { type CopyOptions, fingerprint, goodUntil, originOf, requireUsable, statusOfCopy, syncCopy } from './copy-sync.ts';
import type { ListEntry, ListHits, Registry, RegistrySource, RegistrySpec } from './registry.ts';
import { createRegistryStore } from './store.ts';
import { syncFromPublisher } from './sync.ts';

/** A published list → the source that keeps a copy of it in Postgres and answers from the copy; switched off where it has no address. */
export const defineRegistry = <R>(spec: RegistrySpec<R>): RegistrySource<R> =>
  defineSource({
    name: spec.name,
    attribution: spec.attribution,
    addresses: { [spec.setting]: spec.address },
    create: (deps) => {
      const address = deps.address(spec.setting);
      return address.url === '' ? switchedOff(spec, address.origin) : createRegistry(spec, address, deps);
    },
  });

const NEVER = new AbortController().signal;

function createRegistry<R>(spec: RegistrySpec<R>, address: Address, { db, now, log, tempDir }: SourceDeps): Registry<R> {
  const origin = originOf(address);
  const label = `${spec.name.toLowerCase()}-${fingerprint(origin)}`;
  const store = createRegistryStore<R>(db, spec.name, origin);
  const copy: CopyOptions = {
    name: spec.name,
    origin: address.origin,
    schemaVersion: spec.schemaVersion,
    staleAfterMs: spec.staleAfterMs,
    store,
    now,
    log,
  };
  let known: string | null = null;

  return {
    spec,
    name: spec.name,
    everyMs: spec.everyMs,

    async lookup(legalPersons): Promise<ListHits<R>> {
      const { version, entries } = await store.find(legalPersons).catch((error: Error) => {
        throw sourceUnavailable(spec.name, error);
      });
      requireUsable(copy, version);
      return { version, goodUntil: goodUntil(copy, version), entries: byPerson(legalPersons, entries) };
    },

    version: () => known,

    async refresh() {
      const { version } = await store.state();
      known = version?.schemaVersion === spec.schemaVersion ? version.id : null;
    },

    async sync({ force = false, signal = NEVER } = {}) {
      const visit = { spec, address, store, now, tempDir, label, force, signal };
      const result = await syncCopy(copy, () => store.exclusively((replace) => syncFromPublisher(visit, replace)), signal);
      if ('version' in result) known = result.version.id;
      return result;
    },

    status: async () => statusOfCopy(copy, await store.state()),
  };
}

/** Every person asked, with the entries that name them; none is an empty list. */
function byPerson<R>(legalPersons: readonly string[], entries: readonly ListEntry<R>[]): ReadonlyMap<string, readonly ListEntry<R>[]> {
  const found = new Map<string, ListEntry<R>[]>(legalPersons.map((person) => [person, []]));
  for (const entry of entries) {
    for (const key of new Set(entry.keys)) found.get(key)?.push(entry);
  }
  return found;
}

/** A list that has no address: nobody to visit, no edition, and every question fails. */
const switchedOff = <R>(spec: RegistrySpec<R>, origin: Address['origin']): Registry<R> => ({
  spec,
  name: spec.name,
  everyMs: spec.everyMs,
  off: true,
  async lookup() {
    throw sourceUnavailable(spec.name, 'the list has no address');
  },
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
    };
  },
});
