import type { Knex } from 'knex';
import { type AuditEntry, audit } from '../../../audit/audit-log.ts';
import { type CompanyKey, companyKeyText } from '../../../domain/company.ts';
import type { SourceName } from '../../../domain/source-names.ts';
import { defineService } from '../../../service.ts';
import type { Finding, HeldChange } from '../domain/change.ts';
import { type Census, judge, looksBack } from '../domain/mass-change-guard.ts';
import type { WatchedCountry } from '../domain/watched-company.ts';
import {
  countHeld,
  type HeldCount,
  type HeldSelection,
  heldAfter,
  hold,
  letGo,
  lockHeld,
  readCensus,
  readLately,
} from '../store/held-changes.ts';
import { adopt, ignore } from '../store/watched-companies.ts';
import { publish } from './publish.ts';
import { readMonitorSettings } from './settings.ts';

/** What one source said of companies that were looked at together. */
export interface Round {
  readonly source: SourceName;
  /** Companies that were looked at, those unchanged included. */
  readonly checked: readonly CompanyKey[];
  /** Companies watched at the source; asked for when something changed. */
  readonly watched: () => Promise<number>;
  /** The country whose companies the source looks at in turn; left out for a list, which looks at all that it touches. */
  readonly country?: WatchedCountry;
  readonly findings: readonly Finding[];
  /** Epoch ms. */
  readonly now: number;
}

/** Keeps a broken upstream from waking every customer. */
export interface Guard {
  /**
   * Judges a round in the transaction that records it, in which its companies are locked. Holds what is suspect, forgets what was
   * held of the rest, and answers what may be published.
   */
  sift(trx: Knex, round: Round): Promise<readonly Finding[]>;
  /** Held changes in the order of their companies, at most `limit`, after one of them. */
  held(page: { readonly limit: number; readonly after?: Pick<HeldChange, 'company' | 'source'> }): Promise<readonly HeldChange[]>;
  counts(): Promise<readonly HeldCount[]>;
  /** Publishes what is held now, and makes it the state of its companies. Answers how many changes that were. @param actor for the audit log */
  release(selection?: HeldSelection, actor?: string): Promise<number>;
  /** Forgets what is held now: while its source keeps saying so, it is no news. Answers how many changes that were. */
  discard(selection?: HeldSelection, actor?: string): Promise<number>;
}

/** Whoever may run commands. */
const OPERATOR = 'operator';
/** Held changes that one transaction decides on. */
const AT_ONCE = 500;

export const guardService = defineService<Guard>({
  name: 'guard',
  module: 'monitor',
  create(deps) {
    const { db, log } = deps;
    const { guard: limits, intervalMs } = readMonitorSettings(deps);

    async function census(trx: Knex, { source, checked, watched, country, now }: Round): Promise<Omit<Census, 'checked'>> {
      const since = now - intervalMs;
      const limit = looksBack(limits, checked.length);
      return {
        ...(await readCensus(trx, source, since)),
        lately: country ? await readLately(trx, { source, country, since, before: now, limit }) : SILENCE.lately,
        watched: await watched(),
      };
    }

    /** Works off what is held when it begins, a batch a transaction. */
    async function decide(
      selection: HeldSelection,
      { action, actor }: Pick<AuditEntry, 'action' | 'actor'>,
      decision: (trx: Knex, held: readonly HeldChange[]) => Promise<void>,
    ): Promise<number> {
      const until = deps.now();
      for (let count = 0; ; ) {
        const decided = await db.transaction(async (trx) => {
          const held = await lockHeld(trx, selection, { until, limit: AT_ONCE });
          for (const [source, changes] of Map.groupBy(held, ({ source }) => source)) {
            await letGo(
              trx,
              source,
              changes.map(({ company }) => company),
            );
          }
          for (const changes of bySource(held))
            await audit(trx, { at: until, actor, action, subject: changes[0]?.source ?? '', facts: { companies: changes.length } });
          if (held.length > 0) await decision(trx, held);
          return held.length;
        });
        count += decided;
        if (decided < AT_ONCE) return count;
      }
    }

    return {
      async sift(trx, round) {
        const { source, checked, findings, now } = round;
        const said = findings.length === 0 ? SILENCE : await census(trx, round);
        const { published, held } = judge(findings, { ...said, checked: checked.length }, limits);
        const kept = new Set(held.map(({ finding }) => companyKeyText(finding.company)));
        await letGo(
          trx,
          source,
          checked.filter((company) => !kept.has(companyKeyText(company))),
        );
        const fresh = await hold(trx, held, now);
        for (const count of counted(fresh)) {
          const isKnown = count.reason === 'share' && said.held.has(count.field);
          if (!isKnown) log.warn(count, 'changes are held until an operator releases or discards them');
        }
        return published;
      },

      held: (page) => heldAfter(db, page),
      counts: () => countHeld(db),

      release: (selection = {}, actor = OPERATOR) =>
        decide(selection, { action: 'change.released', actor }, async (trx, held) => {
          const now = deps.now();
          for (const changes of bySource(held)) await adopt(trx, changes);
          await publish(
            trx,
            held.map(({ company, source, fields }) => ({ company, source, fields, detectedAt: now })),
            now,
          );
        }),

      discard: (selection = {}, actor = OPERATOR) =>
        decide(selection, { action: 'change.discarded', actor }, async (trx, held) => {
          for (const changes of bySource(held)) await ignore(trx, changes);
        }),
    };
  },
});

/** What need not be asked for where nothing changed. */
const SILENCE: Omit<Census, 'checked'> = {
  watched: 0,
  lately: { checked: 0, published: new Map() },
  published: new Map(),
  held: new Set(),
};

/** An UPDATE takes a row once: changes of one company at several sources are made one after another. */
const bySource = (held: readonly HeldChange[]): readonly (readonly HeldChange[])[] => [
  ...Map.groupBy(held, ({ source }) => source).values(),
];

/** Held changes as the log has them: no company is named. */
const counted = (held: readonly HeldChange[]) =>
  [
    ...Map.groupBy(
      held.flatMap(({ source, reason, fields }) => fields.map(({ field }) => ({ source, reason, field }))),
      ({ source, reason, field }) => `${source} ${field} ${reason}`,
    ).values(),
  ].flatMap(([first, ...rest]) => (first ? [{ ...first, count: rest.length + 1 }] : []));
