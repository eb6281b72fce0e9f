import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { type AuditAction, audit } from '../../../audit/audit-log.ts';
import type { Caller } from '../../../context.ts';
import { companyKeyText, parseCompanyKey, requireCountry } from '../../../domain/company.ts';
import { AppError, invalidInput } from '../../../domain/errors.ts';
import { DAY_MS } from '../../../domain/time.ts';
import { enqueue } from '../../../jobs/job.ts';
import { defineService, type ServiceDeps } from '../../../service.ts';
import { fromPublicId, toPublicId } from '../domain/ids.ts';
import { MAX_IDENTIFIERS, type Monitor } from '../domain/monitor.ts';
import { dropWaiting } from '../store/delivery-queue.ts';
import { cancelMonitor, enableMonitor, findMonitors, insertMonitor, listMonitors, replaceSecret } from '../store/monitors.ts';
import type { Owned } from '../store/paging.ts';
import { TICK } from './checks.ts';
import { webhooksService } from './webhook-sender.ts';

/** What a monitor is made of. */
export interface MonitorInput extends Pick<Monitor, 'retryPolicy' | 'listNews' | 'webhookUrl'> {
  readonly identifiers: readonly string[];
  readonly country: string;
}

/** A monitor, and the secret that signs its webhooks: shown this once. */
export interface WithSecret {
  readonly monitor: Monitor;
  readonly secret: string;
}

/** How long a replaced secret signs beside the new one. */
const OLD_SECRET_MS = DAY_MS;

/** Characters. */
const MAX_IDENTIFIER = 64;
const MAX_URL = 2_048;

/** Monitors of API keys: one never reaches another's. Ids are public ones. */
export interface Monitors {
  /**
   * Begins to watch; a first check that is due at once is the baseline.
   * @throws AppError INVALID_INPUT on `identifiers`, `identifiers.N` or `webhook_url`; UNSUPPORTED_COUNTRY
   */
  create(caller: Caller, input: MonitorInput): Promise<WithSecret>;
  /** The active ones, newest first. */
  list(caller: Caller): Promise<readonly Monitor[]>;
  /** Ends the watch: no request to its receiver starts any more. @throws AppError SUBSCRIPTION_NOT_FOUND */
  cancel(caller: Caller, id: string): Promise<Monitor>;
  /** `oldSecretValidUntil` is epoch ms: until then both sign. @throws AppError SUBSCRIPTION_NOT_FOUND */
  rotateSecret(caller: Caller, id: string): Promise<WithSecret & { readonly oldSecretValidUntil: number }>;
  /** Sends again to a receiver that was given up. @throws AppError SUBSCRIPTION_NOT_FOUND */
  enable(caller: Caller, id: string): Promise<Monitor>;
}

function createMonitors({ db, now, open }: ServiceDeps): Monitors {
  /** Changes an active monitor of the caller. @throws AppError SUBSCRIPTION_NOT_FOUND */
  async function change(
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
      await note(trx, caller, action, id);
      return monitor;
    });
  }

  const note = (trx: Knex, { keyId }: Caller, action: AuditAction, id: string, facts = {}) =>
    audit(trx, { at: now(), actor: `key ${keyId}`, action, subject: toPublicId('monitor', id), facts });

  async function end(trx: Knex, owned: Owned): Promise<boolean> {
    if (!(await cancelMonitor(trx, owned, now()))) return false;
    await dropWaiting(trx, owned.id, now());
    return true;
  }

  return {
    async create(caller, input) {
      const country = requireCountry(input.country, ['BR', 'CL'], 'Monitoring');
      const watched = readIdentifiers(country, input.identifiers);
      const url = readUrl(input.webhookUrl);
      await open(webhooksService).checkTarget(url);
      const { secret, sealed } = open(webhooksService).newSecret();
      const monitor: Monitor = {
        id: randomUUID(),
        keyId: caller.keyId,
        country,
        identifiers: watched.map(({ identifier }) => identifier),
        webhookUrl: asWritten(input.webhookUrl.trim(), url),
        retryPolicy: input.retryPolicy,
        listNews: input.listNews,
        status: 'active',
        endpointState: 'active',
        createdAt: now(),
        cancelledAt: null,
      };
      await db.transaction(async (trx) => {
        await insertMonitor(trx, { ...monitor, companies: watched.map(({ company }) => company), secret: sealed });
        await enqueue(trx, TICK, {}, { key: TICK });
        await note(trx, caller, 'monitor.created', monitor.id, { companies: watched.length });
      });
      return { monitor, secret };
    },
    list: ({ keyId }) => listMonitors(db, keyId),
    cancel: (caller, id) => change(caller, id, 'monitor.cancelled', end),
    async rotateSecret(caller, id) {
      const { secret, sealed } = open(webhooksService).newSecret();
      const oldUntil = now() + OLD_SECRET_MS;
      const monitor = await change(caller, id, 'monitor.secret_rotated', (trx, owned) =>
        replaceSecret(trx, owned, { secret: sealed, oldUntil }),
      );
      return { monitor, secret, oldSecretValidUntil: oldUntil };
    },
    enable: (caller, id) => change(caller, id, 'monitor.enabled', enableMonitor),
  };
}

const notFound = (): AppError => new AppError('SUBSCRIPTION_NOT_FOUND', 'You have no active subscription with this id.');

/** @throws AppError INVALID_INPUT on `webhook_url` */
function readUrl(text: string): URL {
  const url = URL.parse(text.trim());
  if (!url) throw invalidInput('webhook_url', 'Give an absolute URL, such as https://example.com/hook.');
  if (url.href.length > MAX_URL) throw invalidInput('webhook_url', `A URL has at most ${MAX_URL} characters.`);
  return url;
}

/** A URL as its owner wrote it, who may compare; what no URL should hold stands in its normal form. */
const asWritten = (text: string, url: URL): string => (/^[\x21-\x7e]+$/.test(text) ? text : url.href);

/** Texts → companies, each once, as it was first written. @throws AppError INVALID_INPUT on `identifiers` or `identifiers.N` */
function readIdentifiers(country: Monitor['country'], texts: readonly string[]) {
  if (texts.length === 0) throw invalidInput('identifiers', 'Give at least one tax id.');
  if (texts.length > MAX_IDENTIFIERS) throw invalidInput('identifiers', `Give at most ${MAX_IDENTIFIERS} tax ids.`);
  const named = texts.map((text, i) => readIdentifier(country, text.trim(), `identifiers.${i}`));
  return [...Map.groupBy(named, ({ company }) => companyKeyText(company)).values()].flatMap(([first]) => first ?? []);
}

/** What was written goes into every webhook. */
function readIdentifier(country: Monitor['country'], identifier: string, field: string) {
  if (identifier.length > MAX_IDENTIFIER) throw invalidInput(field, 'A tax id is shorter than this.');
  return { identifier, company: parseCompanyKey(country, identifier, field) };
}

export const monitorsService = defineService<Monitors>({ name: 'monitors', module: 'monitor', create: createMonitors });
