import { sourceUnavailable } from '../../domain/errors.ts';
import type { SyncResult } from '../copy.ts';
import { defineSource, type SourceDeps } from '../source.ts';
import { fingerprint, originOf } from './origin.ts';
import type { ListEntry, ListHits, Registry, RegistrySource, RegistrySpec } from './registry.ts';
import { createRegistryStore, type StoredVersion } from './store.ts';
import { describeFailure, visitPublisher } from './visit.ts';

/** A published list → the source that keeps a copy of it in Postgres and answers from the copy. */
export const defineRegistry = <R>(spec: RegistrySpec<R>): RegistrySource<R> =>
  defineSource({
    name: spec.name,
    attribution: spec.attribution,
    addresses: { [spec.setting]: spec.address },
    create: (deps) => createRegistry(spec, deps),
  });

const NEVER = new AbortController().signal;

function createRegistry<R>(spec: RegistrySpec<R>, { address: addressOf, db, now, log, tempDir }: SourceDeps): Registry<R> {
  const address = addressOf(spec.setting);
  const origin = originOf(address);
  const label = `${spec.name.toLowerCase()}-${fingerprint(origin)}`;
  const store = createRegistryStore<R>(db, spec.name, origin);
  const facts = { list: spec.name, origin: address.origin };
  let known: string | null = null;

  const goodUntil = ({ checkedAt }: StoredVersion): number => checkedAt + spec.staleAfterMs;
  const isUsable = (version: StoredVersion): boolean => version.shape === spec.shape && now() < goodUntil(version);

  async function refused(error: unknown): Promise<SyncResult> {
    const { reason, why, retryAfterMs } = describeFailure(error);
    log.warn({ ...facts, reason, why }, 'list not loaded; the edition before keeps answering');
    await store
      .recordFailure(now(), reason)
      .catch((failure: Error) => log.error({ ...facts, why: failure.message }, 'a failed load could not be recorded'));
    return { outcome: 'refused', reason, retryAfterMs };
  }

  return {
    spec,
    name: spec.name,
    everyMs: spec.everyMs,

    async lookup(legalPersons): Promise<ListHits<R>> {
      const { version, entries } = await store.find(legalPersons).catch((error: Error) => {
        throw sourceUnavailable(spec.name, error);
      });
      if (!version) throw sourceUnavailable(spec.name, 'the list was never loaded');
      if (!isUsable(version)) throw sourceUnavailable(spec.name, 'the copy is overdue, or was read by another version of the reader');
      return { version, goodUntil: goodUntil(version), entries: byPerson(legalPersons, entries) };
    },

    edition: () => known,

    async refresh() {
      const { version } = await store.state();
      known = version?.shape === spec.shape ? version.id : null;
    },

    async sync({ force = false, signal = NEVER } = {}) {
      const visit = { spec, address, store, now, tempDir, label, force, signal };
      try {
        signal.throwIfAborted();
        const result = await store.exclusively((replace) => visitPublisher(visit, replace));
        if (!result) return { outcome: 'busy' };
        if ('version' in result) known = result.version.id;
        log.info({ ...facts, ...result }, 'list visited');
        return result;
      } catch (error) {
        return signal.aborted ? { outcome: 'refused', reason: 'stopped' } : refused(error);
      }
    },

    async status() {
      const { version, failedAt, lastError } = await store.state();
      return {
        name: spec.name,
        kind: 'list',
        origin: address.origin,
        lastSuccessAt: version?.checkedAt ?? null,
        lastErrorAt: failedAt,
        lastError,
        circuit: 'closed',
        list: version,
        usable: version !== null && isUsable(version),
      };
    },
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
