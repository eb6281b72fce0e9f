import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { type AuditAction, audit } from '../../../audit/audit-log.ts';
import type { Caller } from '../../../context.ts';
import type { Sealer } from '../../../db/sealer.ts';
import { companyKeyText, parseCompanyKey, requireCountry } from '../../../domain/company.ts';
import { AppError, invalidInput } from '../../../domain/errors.ts';
import type { WatchTerms } from '../../../domain/plan.ts';
import { DAY_MS } from '../../../domain/time.ts';
import { enqueue } from '../../../jobs/job.ts';
import type { ServiceDeps } from '../../../service.ts';
import { fromPublicId, toPublicId } from '../domain/ids.ts';
import { MAX_IDENTIFIERS, type Monitor, WATCHED_COUNTRIES } from '../domain/monitor.ts';
import { dropPending } from '../store/delivery-queue.ts';
import {
  cancelMonitor,
  countWatchedByKey,
  enableMonitor,
  findMonitors,
  insertMonitor,
  pageMonitors,
  replaceSecret,
  type WatchedByKey,
} from '../store/monitors.ts';
import type { Owned, Page } from '../store/paging.ts';
import { TICK } from './checks.ts';
import type { MonitorSettings } from './settings.ts';
import { checkTarget, newSecret } from './webhook-request.ts';

/** Input of `create`. */
export interface MonitorInput extends Pick<Monitor, 'retryPolicy' | 'listNews' | 'webhookUrl'> {
  readonly identifiers: readonly string[];
  readonly country: string;
}

/** A monitor, and the secret that signs its webhooks. The secret cannot be read again. */
export interface WithSecret {
  readonly monitor: Monitor;
  readonly secret: string;
}

/** A replaced secret stays valid for this time. */
const OLD_SECRET_MS = DAY_MS;

/** Maximum lengths in characters. */
const MAX_IDENTIFIER = 64;
const MAX_URL = 2_048;

/** Monitors of API keys. A key reaches its own monitors only. Ids are public ids. */
export interface Monitors {
  /**
   * Creates a monitor. Its first check, the baseline, is due at once.
   * @param limits of the caller's plan
   * @throws AppError INVALID_INPUT on `identifiers`, `identifiers.N` or `webhook_url`; UNSUPPORTED_COUNTRY; PLAN_LIMIT_REACHED
   */
  create(caller: Caller, input: MonitorInput, limits: WatchTerms): Promise<WithSecret>;
  /** A page of the active monitors, newest first. @param page `after`: public id of the last monitor of the page before */
  list(
    caller: Caller,
    page: { readonly first: number; readonly after: string | null },
  ): Promise<Page<Monitor> & { readonly total: number }>;
  /** Cancels a monitor: no further request to its receiver starts. @throws AppError SUBSCRIPTION_NOT_FOUND */
  cancel(caller: Caller, id: string): Promise<Monitor>;
  /** Replaces the secret. Both sign until `oldSecretValidUntil` (epoch ms). @throws AppError SUBSCRIPTION_NOT_FOUND */
  rotateSecret(caller: Caller, id: string): Promise<WithSecret & { readonly oldSecretValidUntil: number }>;
  /** Enables a disabled webhook endpoint, from the next change on. @throws AppError SUBSCRIPTION_NOT_FOUND */
  enable(caller: Caller, id: string): Promise<Monitor>;
}

export interface MonitorsDeps extends Pick<ServiceDeps, 'db' | 'now' | 'webhooks'> {
  readonly sealer: Sealer;
  readonly settings: Pick<MonitorSettings, 'plainHttp'>;
}

export function createMonitors({ db, now, webhooks, sealer, settings }: MonitorsDeps): Monitors {
  /** Updates an active monitor of the caller, and writes the audit log. @throws AppError SUBSCRIPTION_NOT_FOUND */
  async function update(
    caller: Caller,
    publicId: string,
    action: AuditAction,
    write: (trx: Knex, one: Owned) => Promise<boolean>,
  ): Promise<Monitor> {
    const id = fromPublicId('monitor', publicId);
    if (id === null) throw notFound();
    return db.transaction(async (trx) => {
      const owned = { keyId: caller.keyId, id };
      const [monitor] = (await write(trx, owned)) ? await findMonitors(trx, [owned]) : [];
      if (!monitor) throw notFound();
      await writeAudit(trx, caller, action, id);
      return monitor;
    });
  }

  const writeAudit = (trx: Knex, { keyId }: Caller, action: AuditAction, id: string, facts = {}) =>
    audit(trx, { at: now(), actor: `key ${keyId}`, action, subject: toPublicId('monitor', id), facts });

  async function cancelAndDrop(trx: Knex, owned: Owned): Promise<boolean> {
    if (!(await cancelMonitor(trx, owned, now()))) return false;
    await dropPending(trx, owned.id, now());
    return true;
  }

  return {
    async create(caller, input, limits) {
      const country = requireCountry(input.country, WATCHED_COUNTRIES, 'Monitoring');
      const named = readIdentifiers(country, input.identifiers);
      const url = readUrl(input.webhookUrl);
      await checkTarget(webhooks, url, settings.plainHttp);
      const secret = newSecret();
      const monitor: Monitor = {
        id: randomUUID(),
        keyId: caller.keyId,
        country,
        identifiers: named.map(({ identifier }) => identifier),
        webhookUrl: asWritten(input.webhookUrl.trim(), url),
        retryPolicy: input.retryPolicy,
        listNews: input.listNews,
        status: 'active',
        endpointState: 'active',
        createdAt: now(),
        cancelledAt: null,
      };
      await db.transaction(async (trx) => {
        await insertMonitor(trx, { ...monitor, companies: named.map(({ company }) => company), secret: sealer.seal(secret) });
        requireWithinPlan(await countWatchedByKey(trx, caller.keyId), limits);
        await enqueue(trx, TICK, {}, { key: TICK });
        await writeAudit(trx, caller, 'monitor.created', monitor.id, { companies: named.length });
      });
      return { monitor, secret };
    },
    async list({ keyId }, { first, after }) {
      const last = after === null ? null : fromPublicId('monitor', after);
      const { monitors: total } = await countWatchedByKey(db, keyId);
      const [found] = after !== null && last === null ? [null] : await findMonitors(db, last === null ? [] : [{ keyId, id: last }]);
      if (after !== null && !found) throw invalidInput('after', 'Give the subscription_id of the last subscription of the page before.');
      const cursor = found ? { at: new Date(found.createdAt).toISOString(), id: found.id } : null;
      const [page] = await pageMonitors(db, [{ keyId, first, after: cursor }]);
      return { items: page?.items ?? [], hasMore: page?.hasMore ?? false, total };
    },
    cancel: (caller, id) => update(caller, id, 'monitor.cancelled', cancelAndDrop),
    async rotateSecret(caller, id) {
      const secret = newSecret();
      const oldUntil = now() + OLD_SECRET_MS;
      const monitor = await update(caller, id, 'monitor.secret_rotated', (trx, owned) =>
        replaceSecret(trx, owned, { secret: sealer.seal(secret), oldUntil }),
      );
      return { monitor, secret, oldSecretValidUntil: oldUntil };
    },
    enable: (caller, id) => update(caller, id, 'monitor.enabled', enableMonitor),
  };
}

/** @throws AppError PLAN_LIMIT_REACHED */
function requireWithinPlan({ monitors, companies }: WatchedByKey, limits: WatchTerms): void {
  if (monitors > limits.monitors)
    throw planLimit(`The plan of this key has ${limits.monitors} active monitors; cancel one, or ask for a larger plan.`);
  if (companies > limits.companies)
    throw planLimit(
      `The plan of this key has ${limits.companies} watched companies, and these would be ${companies}; watch fewer, or ask for a larger plan.`,
    );
}

const planLimit = (message: string): AppError => new AppError('PLAN_LIMIT_REACHED', message, { module: 'monitor' });

const notFound = (): AppError => new AppError('SUBSCRIPTION_NOT_FOUND', 'You have no active subscription with this id.');

/** @throws AppError INVALID_INPUT on `webhook_url` */
function readUrl(text: string): URL {
  const url = URL.parse(text.trim());
  if (!url) throw invalidInput('webhook_url', 'Give an absolute URL, such as https://example.com/hook.');
  if (url.href.length > MAX_URL) throw invalidInput('webhook_url', `A URL has at most ${MAX_URL} characters.`);
  return url;
}

/** The URL as the caller wrote it, so that the caller can compare; normalized when it has characters that are invalid in a URL. */
const asWritten = (text: string, url: URL): string => (/^[\x21-\x7e]+$/.test(text) ? text : url.href);

/** Tax ids → companies without duplicates, each with its first spelling. @throws AppError INVALID_INPUT on `identifiers` or `identifiers.N` */
function readIdentifiers(country: Monitor['country'], texts: readonly string[]) {
  if (texts.length === 0) throw invalidInput('identifiers', 'Give at least one tax id.');
  if (texts.length > MAX_IDENTIFIERS) throw invalidInput('identifiers', `Give at most ${MAX_IDENTIFIERS} tax ids.`);
  const named = texts.map((text, i) => readIdentifier(country, text.trim(), `identifiers.${i}`));
  return [...Map.groupBy(named, ({ company }) => companyKeyText(company)).values()].flatMap(([first]) => first ?? []);
}

/** Limits the length, because the text as written is part of every webhook. */
function readIdentifier(country: Monitor['country'], identifier: string, field: string) {
  if (identifier.length > MAX_IDENTIFIER) throw invalidInput(field, 'A tax id is shorter than this.');
  return { identifier, company: parseCompanyKey(country, identifier, field) };
}
