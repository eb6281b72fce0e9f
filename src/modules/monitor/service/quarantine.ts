import type { Knex } from 'knex';
import { type AuditEntry, audit } from '../../../audit/audit-log.ts';
import type { SourceName } from '../../../domain/catalogue.ts';
import { type CompanyKey, companyKeyText } from '../../../domain/company.ts';
import type { ServiceDeps } from '../../../service.ts';
import { type ChangedField, type DetectedChange, type HeldChange, type ObservationKey, observationKey } from '../domain/change.ts';
import { type BaselineStats, CONFIRM_AFTER_MS, isMassChange, recentWindowSize, splitMassChanges } from '../domain/mass-change.ts';
import { type CheckedCompany, changesToHold, isConfirmed, type WaitingChange, waitingChange, waitsForOperator } from '../domain/waiting.ts';
import { detectChanges, type WatchedCountry } from '../domain/watched-company.ts';
import {
  countHeldChanges,
  type HeldCount,
  type HeldSelection,
  heldOf,
  listHeldChanges,
  lockHeldChanges,
  quarantine,
  readBaselineStats,
  readRecentWindow,
  removeHeldChanges,
} from '../store/held-changes.ts';
import { acceptAsSnapshot, ignoreObservation } from '../store/watched-companies.ts';
import { publish } from './publish.ts';
import type { MonitorSettings } from './settings.ts';

/** Companies of one registry that were checked together. */
export interface CheckedBatch {
  readonly source: SourceName;
  /** All companies of the batch, those without a change included. */
  readonly checked: readonly CheckedCompany[];
  /** Reads the number of companies watched at the source; called only when there are changes. */
  readonly watched: () => Promise<number>;
  /**
   * Returns true if companies of the batch were selected because they changed. Their share is then computed over all watched companies,
   * because the others were compared with the same extract; called only when there are changes.
   */
  readonly isSelected: () => Promise<boolean>;
  readonly country: WatchedCountry;
  /** Current time, epoch ms. */
  readonly now: number;
}

/** Counts of a comparison of all watched companies with a list. */
export interface ComparedList {
  readonly source: SourceName;
  readonly field: ChangedField;
  /** Number of companies. */
  readonly checked: number;
  /** Number of companies that changed. */
  readonly changed: number;
  /** Current time, epoch ms. */
  readonly now: number;
}

/** The changes of a batch that are published, and the times of the second checks of those that lose a value. */
export interface FilteredBatch {
  readonly published: readonly DetectedChange[];
  /** Company (`companyKeyText`) → epoch ms. */
  readonly confirmAt: ReadonlyMap<string, number>;
}

/** A page of at most `limit` held changes, after a given one. */
export interface HeldPage {
  readonly limit: number;
  readonly after?: Pick<HeldChange, 'company' | 'source' | 'kind'>;
}

/**
 * Holds changes that a defective upstream may have caused: mass changes until an operator decides, and lost values until a second check.
 */
export interface Quarantine {
  /**
   * Detects the changes of a batch, quarantines suspect ones and deletes held changes of its other companies, except those about which the
   * batch tells nothing. It runs in the transaction that stores the batch and has locked its companies.
   */
  filterMassChanges(trx: Knex, batch: CheckedBatch): Promise<FilteredBatch>;
  /** True when the changes of a list have to be held. */
  isMassChange(db: Knex, list: ComparedList): Promise<boolean>;
  /** Quarantines changes of a mass change. Their companies must be locked. @param now epoch ms */
  hold(trx: Knex, changes: readonly DetectedChange[], now: number): Promise<void>;
  /** Deletes the held changes of these companies at a source, or of their candidates on a list. */
  remove(trx: Knex, key: ObservationKey, companies: readonly CompanyKey[]): Promise<void>;
  /** Returns held changes sorted by company. */
  list(page: HeldPage): Promise<readonly HeldChange[]>;
  counts(): Promise<readonly HeldCount[]>;
  /** Publishes held changes and updates the snapshots. @param actor for the audit log @returns number of changes */
  release(selection?: HeldSelection, actor?: string): Promise<number>;
  /** Deletes held changes. No change is detected while the source repeats the observation. @returns number of changes */
  discard(selection?: HeldSelection, actor?: string): Promise<number>;
}

/** Default actor in the audit log. */
const OPERATOR = 'operator';
const HELD = 'changes are held until an operator releases or discards them';
/** Held changes per transaction. */
const BATCH_SIZE = 500;

export interface QuarantineDeps extends Pick<ServiceDeps, 'db' | 'log' | 'now'> {
  readonly settings: Pick<MonitorSettings, 'massChangeLimits' | 'intervalMs'>;
}

export const createQuarantine = (deps: QuarantineDeps): Quarantine => new StoredQuarantine(deps);

class StoredQuarantine implements Quarantine {
  readonly #deps: QuarantineDeps;

  constructor(deps: QuarantineDeps) {
    this.#deps = deps;
  }

  async filterMassChanges(trx: Knex, batch: CheckedBatch): Promise<FilteredBatch> {
    const { source, checked, now } = batch;
    const changes = checked.flatMap(({ watched, observed }) => detectChanges(watched, observed));
    const stats = changes.length === 0 ? NO_STATS : await this.#readStats(trx, batch);
    const waiting = await this.#waitingChanges(trx, batch);
    const { published, held } = splitMassChanges(changes, {
      stats,
      limits: this.#deps.settings.massChangeLimits,
      isConfirmed: ({ company }) => {
        const earlier = waiting.get(companyKeyText(company));
        return earlier !== undefined && isConfirmed(earlier, now);
      },
      needsOperator: ({ company }, field) => {
        const earlier = waiting.get(companyKeyText(company));
        return earlier !== undefined && waitsForOperator(earlier.held, field);
      },
    });
    const toHold = changesToHold(held, waiting, now);
    const heldKeys = new Set(toHold.map(({ change }) => companyKeyText(change.company)));
    const ended = [...waiting].filter(([company]) => !heldKeys.has(company)).map(([, one]) => one.held.company);
    if (ended.length > 0) await removeHeldChanges(trx, source, ended);
    const stored = await quarantine(trx, toHold);
    this.#logNew(
      stored.filter(({ isNew }) => isNew),
      stats,
    );
    return { published, confirmAt: confirmTimes(stored, new Set(held.map(({ change }) => companyKeyText(change.company))), now) };
  }

  async isMassChange(db: Knex, { source, field, checked, changed: count, now }: ComparedList): Promise<boolean> {
    const { intervalMs, massChangeLimits } = this.#deps.settings;
    const stats = {
      ...NO_STATS,
      ...(await readBaselineStats(db, { source, since: now - intervalMs, without: [] })),
      checked,
      watched: checked,
    };
    const isMass = isMassChange(field, count, stats, massChangeLimits);
    if (isMass && !stats.held.has(field)) this.#deps.log.warn({ source, reason: 'share', field, count }, HELD);
    return isMass;
  }

  async hold(trx: Knex, changes: readonly DetectedChange[], now: number): Promise<void> {
    await quarantine(
      trx,
      changes.map((change) => ({ change, reason: 'share', since: now })),
    );
  }

  remove(trx: Knex, key: ObservationKey, companies: readonly CompanyKey[]): Promise<void> {
    return removeHeldChanges(trx, key, companies);
  }

  list(page: HeldPage): Promise<readonly HeldChange[]> {
    return listHeldChanges(this.#deps.db, page);
  }

  counts(): Promise<readonly HeldCount[]> {
    return countHeldChanges(this.#deps.db);
  }

  release(selection: HeldSelection = {}, actor = OPERATOR): Promise<number> {
    return this.#decide(selection, { action: 'change.released', actor }, async (trx, held) => {
      for (const changes of byKey(held)) await acceptAsSnapshot(trx, changes);
      await publish(trx, held, this.#deps.now());
    });
  }

  discard(selection: HeldSelection = {}, actor = OPERATOR): Promise<number> {
    return this.#decide(selection, { action: 'change.discarded', actor }, async (trx, held) => {
      for (const changes of byKey(held)) await ignoreObservation(trx, changes);
    });
  }

  async #readStats(trx: Knex, { source, checked, watched, isSelected, country, now }: CheckedBatch): Promise<BaselineStats> {
    const { intervalMs, massChangeLimits } = this.#deps.settings;
    const since = now - intervalMs;
    const without = checked.map(({ watched: { company } }) => company);
    const all = await watched();
    const compared = (await isSelected()) ? Math.max(all, checked.length) : checked.length;
    const limit = recentWindowSize(massChangeLimits, compared);
    return {
      checked: compared,
      ...(await readBaselineStats(trx, { source, since, without })),
      recentWindow: await readRecentWindow(trx, { source, country, since, before: now, limit, without }),
      watched: all,
    };
  }

  /** Reads the held changes of a batch and compares them with it, by `companyKeyText`. */
  async #waitingChanges(trx: Knex, { source, checked }: CheckedBatch): Promise<ReadonlyMap<string, WaitingChange>> {
    const held = await heldOf(
      trx,
      source,
      checked.map(({ watched }) => watched.company),
    );
    return new Map(
      checked.flatMap((one) => {
        const key = companyKeyText(one.watched.company);
        const earlier = held.get(key);
        return earlier ? [[key, waitingChange(one, earlier)] as const] : [];
      }),
    );
  }

  /** Logs newly held changes, mass changes of a field only if none of it was held before. */
  #logNew(held: Parameters<typeof countByField>[0], stats: BaselineStats): void {
    for (const count of countByField(held)) {
      if (count.reason === 'blank') this.#deps.log.info(count, 'changes that lose a value are held until a second check');
      else if (!stats.held.has(count.field)) this.#deps.log.warn(count, HELD);
    }
  }

  /** Applies a decision to all changes held when it begins, one batch per transaction. */
  async #decide(
    selection: HeldSelection,
    { action, actor }: Pick<AuditEntry, 'action' | 'actor'>,
    apply: (trx: Knex, held: readonly HeldChange[]) => Promise<void>,
  ): Promise<number> {
    const until = this.#deps.now();
    for (let count = 0; ; ) {
      const decided = await this.#deps.db.transaction(async (trx) => {
        const held = await lockHeldChanges(trx, selection, { until, limit: BATCH_SIZE });
        for (const [key, changes] of Map.groupBy(held, observationKey)) {
          await removeHeldChanges(
            trx,
            key,
            changes.map(({ company }) => company),
          );
          await audit(trx, { at: until, actor, action, subject: key, facts: { companies: changes.length } });
        }
        if (held.length > 0) await apply(trx, held);
        return held.length;
      });
      count += decided;
      if (decided < BATCH_SIZE) return count;
    }
  }
}

/**
 * Returns the times of the second checks. A change about which the batch told nothing, an hour after it was held or later, waits for a
 * regular check.
 * @param detected companies of which the batch itself had a change that is held
 */
const confirmTimes = (held: readonly HeldChange[], detected: ReadonlySet<string>, now: number): FilteredBatch['confirmAt'] =>
  new Map(
    held
      .filter(({ reason }) => reason === 'blank')
      .map(({ company, heldAt }) => [companyKeyText(company), heldAt + CONFIRM_AFTER_MS] as const)
      .filter(([company, at]) => detected.has(company) || at > now),
  );

/** Statistics of a batch without changes, which saves the reads. */
const NO_STATS: BaselineStats = {
  checked: 0,
  watched: 0,
  recentWindow: { checked: 0, changed: new Map() },
  changed: new Map(),
  held: new Set(),
};

/**
 * Groups by observation key. One UPDATE changes a row once only, so changes of one company at several sources need one UPDATE per source.
 */
const byKey = (held: readonly HeldChange[]): readonly (readonly HeldChange[])[] => [...Map.groupBy(held, observationKey).values()];

/** Counts held changes by source, field and reason for the log, without company names. */
const countByField = (held: readonly HeldChange[]) =>
  [
    ...Map.groupBy(
      held.flatMap(({ source, reason, fields }) => fields.map(({ field }) => ({ source, reason, field }))),
      ({ source, reason, field }) => `${source} ${field} ${reason}`,
    ).values(),
  ].flatMap(([first, ...rest]) => (first ? [{ ...first, count: rest.length + 1 }] : []));
