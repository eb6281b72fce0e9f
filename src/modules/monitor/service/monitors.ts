import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { type AuditAction, audit } from '../../../audit/audit-log.ts';
import { actorOf, type Caller } from '../../../context.ts';
import { changeInTime } from '../../../db/change.ts';
import type { Owned, Page, PageRequest } from '../../../db/paging.ts';
import type { Sealer } from '../../../db/sealer.ts';
import { companyKeyText, isPersonsNit, parseCompanyKey, parsePrintedCompanyKey, requireCountry } from '../../../domain/company.ts';
import { AppError, invalidInput } from '../../../domain/errors.ts';
import type { TimeCursor } from '../../../domain/paging.ts';
import type { WatchTerms } from '../../../domain/plan.ts';
import { fromPublicId, toPublicId } from '../../../domain/public-ids.ts';
import { enqueue } from '../../../jobs/job.ts';
import { fieldMessages } from '../../../messages/fields.ts';
import type { Message } from '../../../messages/message.ts';
import { monitorMessages } from '../../../messages/monitors.ts';
import type { ServiceDeps } from '../../../service.ts';
import { endEndpoint, newRotation, redirectPending } from '../../../webhooks/service/endpoints.ts';
import type { WebhookSettings } from '../../../webhooks/service/settings.ts';
import { newSecret, readTarget } from '../../../webhooks/service/webhook-request.ts';
import { enableEndpoint, lockEndpoint, saveEndpoint } from '../../../webhooks/store/endpoints.ts';
import { MAX_IDENTIFIERS, type Monitor, WATCHED_COUNTRIES } from '../domain/monitor.ts';
import { makeBaselinesDue } from '../store/chosen-lists.ts';
import { makeCandidatesDue } from '../store/list-entries.ts';
import {
  addCompanies,
  cancelMonitor,
  countWatchedByKey,
  findMonitor,
  findMonitors,
  insertMonitor,
  lockActiveMonitor,
  type NamedCompany,
  pageMonitors,
  removeCompanies,
  saveMonitorSettings,
  type WatchedByKey,
  withIdentifiers,
} from '../store/monitors.ts';
import { TICK } from './checks.ts';

/** Input of `create`. */
export interface MonitorInput
  extends Pick<Monitor, 'retryPolicy' | 'listNews' | 'recordNews' | 'candidateNews' | 'webhookUrl'>,
    Partial<Pick<Monitor, 'webhookFormat' | 'webhookLanguage'>> {
  readonly identifiers: readonly string[];
  readonly country: string;
}

/** Input of `update`. An omitted field is not changed. */
export interface MonitorUpdate extends Partial<Omit<MonitorInput, 'identifiers' | 'country'>> {
  /** Tax ids to add. Companies that are watched already stay unchanged. */
  readonly addIdentifiers?: readonly string[];
  /** Tax ids to remove. Companies that are not watched are ignored. */
  readonly removeIdentifiers?: readonly string[];
}

/** A monitor, and the secret that signs its webhooks. The secret cannot be read again. */
export interface WithSecret {
  readonly monitor: Monitor;
  readonly secret: string;
}

/** Maximum lengths in characters. */
const MAX_IDENTIFIER = 64;

/** Monitors of API keys. A key reaches its own monitors only. Ids are public ids. */
export interface Monitors {
  /**
   * Creates a monitor. Its first check, the baseline, is due at once.
   * @param limits of the caller's plan
   * @throws AppError INVALID_INPUT on `identifiers`, `identifiers.N` or `webhook_url`; UNSUPPORTED_COUNTRY; PLAN_LIMIT_REACHED
   */
  create(caller: Caller, input: MonitorInput, limits: WatchTerms): Promise<WithSecret>;
  /**
   * Changes a monitor. Pending deliveries of removed companies are still sent, to the new URL if that changes.
   * @param limits of the caller's plan
   * @throws AppError MONITOR_NOT_FOUND; INVALID_INPUT on `add_identifiers`, `remove_identifiers` or `webhook_url`; PLAN_LIMIT_REACHED
   */
  update(caller: Caller, id: string, input: MonitorUpdate, limits: WatchTerms): Promise<Monitor>;
  /** Returns the monitor, active or cancelled. @throws AppError MONITOR_NOT_FOUND */
  find(caller: Caller, id: string): Promise<Monitor>;
  /** A page of the active monitors, newest first, and the number of all. */
  list(caller: Caller, page: PageRequest<TimeCursor>): Promise<Page<Monitor> & { readonly total: number }>;
  /** Cancels a monitor: no further request to its receiver starts. @throws AppError MONITOR_NOT_FOUND */
  cancel(caller: Caller, id: string): Promise<Monitor>;
  /** Replaces the secret. Both sign until `oldSecretValidUntil` (epoch ms). @throws AppError MONITOR_NOT_FOUND */
  rotateSecret(caller: Caller, id: string): Promise<WithSecret & { readonly oldSecretValidUntil: number }>;
  /** Enables a disabled webhook endpoint, from the next change on. @throws AppError MONITOR_NOT_FOUND */
  enable(caller: Caller, id: string): Promise<Monitor>;
}

export interface MonitorsDeps extends Pick<ServiceDeps, 'db' | 'now' | 'webhooks'> {
  readonly sealer: Sealer;
  readonly settings: Pick<WebhookSettings, 'plainHttp'>;
}

export const createMonitors = (deps: MonitorsDeps): Monitors => new StoredMonitors(deps);

class StoredMonitors implements Monitors {
  readonly #deps: MonitorsDeps;

  constructor(deps: MonitorsDeps) {
    this.#deps = deps;
  }

  async create(caller: Caller, input: MonitorInput, limits: WatchTerms): Promise<WithSecret> {
    const { db, now, sealer } = this.#deps;
    const country = requireCountry(input.country, WATCHED_COUNTRIES, 'Monitoring');
    const named = readIdentifiers(country, input.identifiers, 'identifiers');
    if (named.length === 0) throw invalidInput('identifiers', fieldMessages.oneTaxId());
    const webhookUrl = input.webhookUrl === null ? null : await this.#readTarget(input.webhookUrl);
    const secret = newSecret();
    const added = {
      id: randomUUID(),
      keyId: caller.keyId,
      country,
      identifiers: named.map(({ identifier }) => identifier),
      webhookUrl,
      retryPolicy: input.retryPolicy,
      webhookFormat: input.webhookFormat ?? ('standard' as const),
      webhookLanguage: input.webhookLanguage ?? ('en' as const),
      listNews: input.listNews,
      recordNews: input.recordNews,
      candidateNews: input.candidateNews,
      createdAt: now(),
    };
    const monitor = await changeInTime(db, async (trx) => {
      await insertMonitor(trx, { ...added, companies: named.map(({ company }) => company), secret: sealer.seal(secret) });
      await makeCandidatesDue(trx, added.id);
      await this.#checkSoon(trx, caller, limits);
      await this.#audit(trx, caller, 'monitor.created', added.id, { companies: named.length });
      return findMonitor(trx, added);
    });
    if (!monitor) throw new Error('a monitor was not stored');
    return { monitor, secret };
  }

  async update(caller: Caller, publicId: string, input: MonitorUpdate, limits: WatchTerms): Promise<Monitor> {
    const { db, now } = this.#deps;
    const owned = ownedBy(caller, publicId);
    const [before] = await findMonitors(db, [owned]);
    if (!before) throw notFound();
    const companies = readChangedCompanies(before.country, input);
    const webhookUrl = input.webhookUrl ? await this.#readTarget(input.webhookUrl) : input.webhookUrl;
    return changeInTime(db, async (trx) => {
      if (!(await lockEndpoint(trx, owned)) || !(await lockActiveMonitor(trx, owned))) throw notFound();
      const added = await addCompanies(trx, owned.id, companies.added, now());
      const removed = await removeCompanies(
        trx,
        owned.id,
        companies.removed.map(({ company }) => company),
      );
      await saveMonitorSettings(trx, owned.id, input);
      const { retryPolicy, webhookFormat: format, webhookLanguage: language } = input;
      await saveEndpoint(trx, owned.id, { url: webhookUrl, retryPolicy, format, language });
      await makeCandidatesDue(trx, owned.id);
      await makeBaselinesDue(trx, owned.id);
      const monitor = await findMonitor(trx, owned);
      if (!monitor) throw notFound();
      requireSize(monitor);
      if (added > 0) await this.#checkSoon(trx, caller, limits);
      await this.#audit(trx, caller, 'monitor.updated', owned.id, { added, removed, webhook: webhookUrl !== undefined });
      if (webhookUrl !== undefined) await redirectPending(trx, owned.id, webhookUrl, now());
      return monitor;
    });
  }

  async find(caller: Caller, publicId: string): Promise<Monitor> {
    const monitor = await findMonitor(this.#deps.db, ownedBy(caller, publicId));
    if (!monitor) throw notFound();
    return monitor;
  }

  async list({ keyId }: Caller, { first, after }: PageRequest<TimeCursor>): Promise<Page<Monitor> & { readonly total: number }> {
    const { db } = this.#deps;
    const { monitors: total } = await countWatchedByKey(db, keyId);
    const [page] = await pageMonitors(db, [{ keyId, first, after }]);
    return { items: await withIdentifiers(db, page?.items ?? []), hasMore: page?.hasMore ?? false, total };
  }

  cancel(caller: Caller, id: string): Promise<Monitor> {
    return this.#change(caller, id, 'monitor.cancelled', async (trx, owned) => {
      if (!(await cancelMonitor(trx, owned, this.#deps.now()))) return false;
      await endEndpoint(trx, owned.id, this.#deps.now());
      return true;
    });
  }

  async rotateSecret(caller: Caller, id: string): Promise<WithSecret & { readonly oldSecretValidUntil: number }> {
    const { store, ...rotated } = newRotation(this.#deps.sealer, this.#deps.now());
    return { monitor: await this.#change(caller, id, 'monitor.secret_rotated', store), ...rotated };
  }

  enable(caller: Caller, id: string): Promise<Monitor> {
    return this.#change(caller, id, 'monitor.enabled', enableEndpoint);
  }

  /** Runs one change of an active monitor of the caller, and writes the audit log. @throws AppError MONITOR_NOT_FOUND */
  async #change(
    caller: Caller,
    publicId: string,
    action: AuditAction,
    write: (trx: Knex, one: Owned) => Promise<boolean>,
  ): Promise<Monitor> {
    const owned = ownedBy(caller, publicId);
    return changeInTime(this.#deps.db, async (trx) => {
      const isChanged = (await lockEndpoint(trx, owned)) && (await write(trx, owned));
      const monitor = isChanged ? await findMonitor(trx, owned) : null;
      if (!monitor) throw notFound();
      await this.#audit(trx, caller, action, owned.id);
      return monitor;
    });
  }

  #readTarget(url: string): Promise<string> {
    return readTarget(this.#deps.webhooks, url, this.#deps.settings.plainHttp);
  }

  /** Enqueues the first check of companies that were added. @throws AppError PLAN_LIMIT_REACHED */
  async #checkSoon(trx: Knex, { keyId }: Caller, limits: WatchTerms): Promise<void> {
    requireWithinPlan(await countWatchedByKey(trx, keyId), limits);
    await enqueue(trx, TICK, {}, { key: TICK });
  }

  #audit(trx: Knex, caller: Caller, action: AuditAction, id: string, facts = {}): Promise<void> {
    return audit(trx, { at: this.#deps.now(), actor: actorOf(caller), action, subject: toPublicId('monitor', id), facts });
  }
}

/** @throws AppError PLAN_LIMIT_REACHED */
function requireWithinPlan({ monitors, companies }: WatchedByKey, limits: WatchTerms): void {
  if (monitors > limits.monitors) throw planLimit(monitorMessages.planMonitors({ max: limits.monitors }));
  if (companies > limits.companies) throw planLimit(monitorMessages.planCompanies({ max: limits.companies, count: companies }));
}

const planLimit = (text: Message): AppError => new AppError('PLAN_LIMIT_REACHED', text, { module: 'monitor' });

const notFound = (): AppError => new AppError('MONITOR_NOT_FOUND', monitorMessages.notActive());

/** @throws AppError MONITOR_NOT_FOUND for any other text */
function ownedBy({ keyId }: Caller, publicId: string): Owned {
  const id = fromPublicId('monitor', publicId);
  if (id === null) throw notFound();
  return { keyId, id };
}

/** Reads the companies to add and to remove. @throws AppError INVALID_INPUT, also for a company that is to be added and removed */
function readChangedCompanies(country: Monitor['country'], { addIdentifiers = [], removeIdentifiers = [] }: MonitorUpdate) {
  const added = readIdentifiers(country, addIdentifiers, 'add_identifiers');
  const removed = readIdentifiers(country, removeIdentifiers, 'remove_identifiers', parsePrintedCompanyKey);
  const keys = new Set(added.map(({ company }) => companyKeyText(company)));
  if (removed.some(({ company }) => keys.has(companyKeyText(company))))
    throw invalidInput('remove_identifiers', monitorMessages.addedAndRemoved());
  return { added, removed };
}

/** @throws AppError INVALID_INPUT for a changed monitor with too many companies, or none */
function requireSize({ identifiers: { length } }: Monitor): void {
  if (length > MAX_IDENTIFIERS)
    throw invalidInput('add_identifiers', monitorMessages.tooManyCompanies({ max: MAX_IDENTIFIERS, count: length }));
  if (length === 0) throw invalidInput('remove_identifiers', monitorMessages.lastCompany());
}

/** Tax ids → companies without duplicates, each with its first spelling. @throws AppError INVALID_INPUT on `field` or `field.N` */
function readIdentifiers(
  country: Monitor['country'],
  texts: readonly string[],
  field: string,
  parse = parseCompanyKey,
): readonly NamedCompany[] {
  if (texts.length > MAX_IDENTIFIERS) throw invalidInput(field, fieldMessages.manyTaxIds({ max: MAX_IDENTIFIERS }));
  const named = texts.map((text, i) => readIdentifier(parse, country, text.trim(), `${field}.${i}`));
  return [...Map.groupBy(named, ({ company }) => companyKeyText(company)).values()].flatMap(([first]) => first ?? []);
}

/** Limits the length, because the text as written is part of every webhook. The number of a natural person is not stored. */
function readIdentifier(parse: typeof parseCompanyKey, country: Monitor['country'], identifier: string, field: string) {
  if (identifier.length > MAX_IDENTIFIER) throw invalidInput(field, fieldMessages.shorterTaxId());
  const company = parse(country, identifier, field);
  if (isPersonsNit(company)) throw invalidInput(field, monitorMessages.naturalPerson());
  return { identifier, company };
}
