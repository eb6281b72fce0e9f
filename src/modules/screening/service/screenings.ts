import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { Knex } from 'knex';
import { type AuditAction, audit } from '../../../audit/audit-log.ts';
import { actorOf, type Caller } from '../../../context.ts';
import { changeInTime } from '../../../db/change.ts';
import type { Sealer } from '../../../db/sealer.ts';
import { COUNTRIES, type Country } from '../../../domain/company.ts';
import { AppError, invalidInput } from '../../../domain/errors.ts';
import { maskCpfs } from '../../../domain/personal-ids.ts';
import type { LimitedAction } from '../../../domain/plan.ts';
import { fromPublicId, toPublicId } from '../../../domain/public-ids.ts';
import { storable } from '../../../domain/text.ts';
import { fieldMessages } from '../../../messages/fields.ts';
import { screeningMessages } from '../../../messages/screenings.ts';
import { requireModule } from '../../../metering/ask.ts';
import { FairSlots } from '../../../scheduling/fair-slots.ts';
import type { ServiceDeps } from '../../../service.ts';
import { newRotation, type Rotation } from '../../../webhooks/service/endpoints.ts';
import { newSecret, readTarget } from '../../../webhooks/service/webhook-request.ts';
import { lockEndpoint } from '../../../webhooks/store/endpoints.ts';
import { Portfolio } from '../domain/portfolio.ts';
import { MAX_NAME, SCREENED_MODULES, type ScreenedModule, type Screening } from '../domain/screening.ts';
import { cancelScreening, countStoredRows, findScreenings, insertScreening } from '../store/screenings.ts';
import type { ReadRows } from './portfolio-file.ts';
import { modulesFor, USUAL_MODULES } from './questions.ts';
import { fileContent, type ResultFormat } from './result-file.ts';
import { enqueueRuns } from './runner.ts';
import type { ScreeningSettings } from './settings.ts';
import { publishEnd, sendEndAgain } from './webhook.ts';

/** Input of `start`. */
export interface ScreeningInput {
  readonly name: string | null;
  /** Names of modules; null for the default modules that the key has. */
  readonly modules: readonly string[] | null;
  /** URL that is called when the screening is done; null without a webhook. */
  readonly webhookUrl: string | null;
  /** Reads the rows of the portfolio. It is called when the account has no other portfolio under way. */
  readonly readRows: ReadRows;
}

/** The input of `start` that is checked before its rows are read. */
interface CheckedInput {
  readonly name: string | null;
  readonly modules: readonly ScreenedModule[];
  /** URL of the webhook; null without one. */
  readonly url: string | null;
}

/** A new screening, and the secret that signs its webhook; null without one. The secret cannot be read again. */
export interface StartedScreening {
  readonly screening: Screening;
  readonly secret: string | null;
}

/** Screenings of API keys. A key reaches its own screenings only. Ids are public ids. */
export interface Screenings {
  /**
   * Stores a portfolio; its companies are checked in the background. Rows without a valid tax id of a supported country are stored as
   * rejected.
   * @throws AppError INVALID_INPUT on `identifiers`, `name`, `modules` or `webhook_url`; MODULE_NOT_ENABLED; PLAN_LIMIT_REACHED when the
   * account has too many stored rows
   */
  start(caller: Caller, input: ScreeningInput): Promise<StartedScreening>;
  /** @throws AppError SCREENING_NOT_FOUND */
  find(caller: Caller, id: string): Promise<Screening>;
  /** Streams a file of a screening. @throws AppError SCREENING_NOT_FOUND */
  file(caller: Caller, id: string, format: ResultFormat): Promise<Readable>;
  /**
   * Cancels a screening. Its results so far are kept and stay counted. @throws AppError SCREENING_NOT_FOUND, also for a screening that has
   * ended
   */
  cancel(caller: Caller, id: string): Promise<Screening>;
  /**
   * Sends the webhook of a screening again, under the same event id. A delivery that is pending or under way stays unchanged.
   * @throws AppError SCREENING_NOT_FOUND; INVALID_INPUT for a screening that is not done, or has no webhook
   */
  redeliver(owner: Pick<Caller, 'keyId'>, id: string): Promise<Screening>;
  /**
   * Replaces the secret. Both secrets sign until `oldSecretValidUntil`.
   * @throws AppError SCREENING_NOT_FOUND; INVALID_INPUT without a webhook
   */
  rotateSecret(caller: Caller, id: string): Promise<Omit<Rotation, 'store'> & { readonly screening: Screening }>;
}

/** Rate limit at which a key may start screenings: a portfolio is a large body and a large transaction. */
export const START: LimitedAction = { name: 'screening.start', rate: { perMinute: 10, burst: 10 } };

/** Rate limit at which a key may read result files, which have up to 100,000 rows. */
export const READ_FILE: LimitedAction = { name: 'screening.file', rate: { perMinute: 30, burst: 30 } };

/**
 * Maximum number of portfolios that a process reads and stores at once, one for each account. Reading and storing 100,000 rows take up to
 * half a second of CPU; without the limit, the portfolios of one account would keep all CPUs busy.
 */
const PORTFOLIOS_AT_ONCE = 2;

export interface ScreeningsDeps extends Pick<ServiceDeps, 'db' | 'now' | 'webhooks'> {
  readonly sealer: Sealer;
  readonly settings: Pick<ScreeningSettings, 'rowsPerAccount' | 'plainHttp'>;
}

export const createScreenings = (deps: ScreeningsDeps): Screenings => new StoredScreenings(deps);

class StoredScreenings implements Screenings {
  readonly #deps: ScreeningsDeps;
  /** Starts wait without a limit of their own: the rate of START bounds their number. */
  readonly #starts = new FairSlots({
    slots: () => PORTFOLIOS_AT_ONCE,
    slotsPerOwner: () => 1,
    waiting: () => Number.POSITIVE_INFINITY,
  });

  constructor(deps: ScreeningsDeps) {
    this.#deps = deps;
  }

  /** Checks all but the rows before it takes a slot, because the lookup of the webhook's host waits for a name server of the account. */
  async start(caller: Caller, input: ScreeningInput): Promise<StartedScreening> {
    const { webhooks, settings } = this.#deps;
    const name = readName(input.name);
    const modules = readModules(caller, input.modules);
    const url = input.webhookUrl === null ? null : await readTarget(webhooks, input.webhookUrl, settings.plainHttp);
    return this.#starts.run(caller.accountId, () => this.#store(caller, { name, modules, url }, input.readRows));
  }

  async #store(caller: Caller, { name, modules, url }: CheckedInput, readRows: ReadRows): Promise<StartedScreening> {
    const { db, now, sealer, settings } = this.#deps;
    const secret = newSecret();
    const webhook = url === null ? null : { url, secret: sealer.seal(secret) };
    const portfolio = new Portfolio(countriesOf(modules));
    await readRows(
      (row) => portfolio.add(row),
      (names) => {
        portfolio.ownColumns = names;
      },
    );
    const { companies, rejected, ownColumns } = portfolio;
    const rows = companies.length + rejected.length;
    if (rows === 0) throw invalidInput('identifiers', fieldMessages.oneTaxId());
    const owner = { keyId: caller.keyId, accountId: caller.accountId };
    const added = { id: randomUUID(), ...owner, name, modules, webhook, ownColumns, createdAt: now() };
    return changeInTime(db, async (trx) => {
      const stored = await countStoredRows(trx, caller.accountId);
      if (stored + rows > settings.rowsPerAccount) throw storesTooMuch(stored, settings.rowsPerAccount);
      await insertScreening(trx, { ...added, companies, rejected });
      if (companies.length > 0) await enqueueRuns(trx);
      await this.#audit(trx, caller, 'screening.started', added.id, { companies: companies.length, modules });
      const [screening] = await findScreenings(trx, [added]);
      if (!screening) throw new Error('a screening was not stored');
      if (companies.length === 0) await publishEnd(trx, screening, now());
      return { screening, secret: webhook && secret };
    });
  }

  async find({ keyId }: Pick<Caller, 'keyId'>, publicId: string): Promise<Screening> {
    const [screening] = await findScreenings(this.#deps.db, [{ keyId, id: uuidOf(publicId) }]);
    if (!screening) throw notFound();
    return screening;
  }

  async file(caller: Caller, publicId: string, format: ResultFormat): Promise<Readable> {
    return format(fileContent(this.#deps.db, await this.find(caller, publicId)));
  }

  async cancel(caller: Caller, publicId: string): Promise<Screening> {
    const { db, now } = this.#deps;
    const owned = { keyId: caller.keyId, id: uuidOf(publicId) };
    return changeInTime(db, async (trx) => {
      const [screening] = (await cancelScreening(trx, owned, now())) ? await findScreenings(trx, [owned]) : [];
      if (!screening) throw notFound();
      await this.#audit(trx, caller, 'screening.cancelled', owned.id);
      return screening;
    });
  }

  async redeliver(owner: Pick<Caller, 'keyId'>, publicId: string): Promise<Screening> {
    const { db, now } = this.#deps;
    const screening = await this.#findWithWebhook(owner, publicId);
    if (screening.state !== 'done') throw invalidInput('id', screeningMessages.notDone());
    return changeInTime(db, async (trx) => {
      if (!(await lockEndpoint(trx, screening))) throw notFound();
      await sendEndAgain(trx, screening, now());
      return screening;
    });
  }

  async rotateSecret(caller: Caller, publicId: string): Promise<Omit<Rotation, 'store'> & { readonly screening: Screening }> {
    const { db, now, sealer } = this.#deps;
    const screening = await this.#findWithWebhook(caller, publicId);
    const { store, ...rotated } = newRotation(sealer, now());
    return changeInTime(db, async (trx) => {
      if (!(await store(trx, screening))) throw notFound();
      await this.#audit(trx, caller, 'screening.secret_rotated', screening.id);
      return { screening, ...rotated };
    });
  }

  /** @throws AppError SCREENING_NOT_FOUND; INVALID_INPUT for a screening without a webhook */
  async #findWithWebhook(owner: Pick<Caller, 'keyId'>, publicId: string) {
    const screening = await this.find(owner, publicId);
    const { webhookUrl } = screening;
    if (webhookUrl === null) throw invalidInput('id', screeningMessages.noWebhook());
    return { ...screening, webhookUrl };
  }

  #audit(trx: Knex, caller: Caller, action: AuditAction, id: string, facts = {}): Promise<void> {
    return audit(trx, { at: this.#deps.now(), actor: actorOf(caller), action, subject: toPublicId('screening', id), facts });
  }
}

/** Returns the name as it is stored, with each CPF masked. @throws AppError INVALID_INPUT on `name` */
function readName(given: string | null): string | null {
  const name = given === null ? null : storable(given);
  if ((name?.length ?? 0) > MAX_NAME) throw invalidInput('name', fieldMessages.nameLength({ max: MAX_NAME }));
  return name && maskCpfs(name);
}

const notFound = (): AppError => new AppError('SCREENING_NOT_FOUND', screeningMessages.notFound());

/** @throws AppError SCREENING_NOT_FOUND for any other text */
function uuidOf(publicId: string): string {
  const id = fromPublicId('screening', publicId);
  if (id === null) throw notFound();
  return id;
}

const storesTooMuch = (stored: number, limit: number): AppError =>
  new AppError('PLAN_LIMIT_REACHED', screeningMessages.manyStored({ stored, max: limit }), { module: 'screening' });

/** @throws AppError INVALID_INPUT on `modules`, MODULE_NOT_ENABLED */
function readModules(caller: Caller, given: readonly string[] | null): readonly ScreenedModule[] {
  if (given === null) {
    const usual = USUAL_MODULES.filter((module) => caller.modules.has(module));
    if (usual.length === 0) throw invalidInput('modules', screeningMessages.giveModules({ modules: SCREENED_MODULES.join(', ') }));
    return usual;
  }
  const modules = SCREENED_MODULES.filter((module) => given.includes(module));
  const unknown = given.find((module) => !SCREENED_MODULES.some((one) => one === module));
  if (modules.length === 0 || unknown !== undefined)
    throw invalidInput('modules', screeningMessages.unknownModules({ modules: SCREENED_MODULES.join(', ') }));
  for (const module of modules) requireModule(caller, module);
  return modules;
}

/** Returns the countries that at least one of the modules serves. */
const countriesOf = (modules: readonly ScreenedModule[]): ReadonlySet<Country> =>
  new Set(COUNTRIES.filter((country) => modulesFor(country, modules).length > 0));
