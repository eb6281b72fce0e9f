import type { RequestContext } from '../../../context.ts';
import type { CompanyKey } from '../../../domain/company.ts';
import { AppError } from '../../../domain/errors.ts';
import { perRequest } from '../../../loaders/per-request.ts';
import { RequestSlices } from '../../../scheduling/slices.ts';
import type { SanctionsList } from '../../sanctions/domain.ts';
import { decisionsOf } from '../../sanctions/loaders/reviews.ts';
import { type NotCheckedReason, type OwnerListing, type OwnerScreening, type ScreenedOwner, toOwnerScreening } from '../domain.ts';
import { listsFor } from './lists-of-owners.ts';
import type { OwnerListLoader, OwnerListScreening } from './screening.ts';

/** An owner of a company, and the lists that the owner is compared with. */
export interface OwnerOfCompany extends ScreenedOwner {
  readonly id: string;
  readonly ofCompany: CompanyKey;
  readonly screenedBy: OwnerListScreening;
}

/** False for the natural persons of a Chilean company together, who have no name to compare. */
export const isScreened = <T extends { readonly entityType: ScreenedOwner['entityType'] | 'natural_persons' }>(
  owner: T,
): owner is T & { readonly entityType: ScreenedOwner['entityType'] } => owner.entityType !== 'natural_persons';

/**
 * Cost of comparing one owner with the lists, in values of an answer. The 250 owners of one slice are looked up in one batch of each list.
 */
const SCREENING_VALUES = 12;

/**
 * When the screenings of a request may start. The registry answers one company at a time, so screenings wait until the request has all
 * owners that were announced, and then read each list once.
 */
class ScreeningSchedule {
  /** Slices of the screenings alone, because the batches of the lists do not wait for other slices. */
  readonly #slices = new RequestSlices();
  #announced = 0;
  #allLoaded: PromiseWithResolvers<void> | null = null;

  /** Counts owners as announced until they are loaded. The last ones of a request resume its screenings. */
  async announce<T>(owners: Promise<T>): Promise<T> {
    this.#allLoaded ??= Promise.withResolvers();
    this.#announced += 1;
    try {
      return await owners;
    } finally {
      this.#announced -= 1;
      if (this.#announced === 0) {
        this.#allLoaded.resolve();
        this.#allLoaded = null;
      }
    }
  }

  /** Waits until all announced owners are loaded, and for a slice. */
  async next(): Promise<void> {
    while (this.#allLoaded) await this.#allLoaded.promise;
    await this.#slices.reserve(SCREENING_VALUES);
  }
}

const scheduleOf = perRequest(() => new ScreeningSchedule());

/** Announces owners that the request is loading and will screen. @returns the owners */
export const announceOwners = <T>(ctx: RequestContext, owners: Promise<T>): Promise<T> => scheduleOf(ctx).announce(owners);

/** Options of the comparison of an owner. */
interface ScreeningOptions {
  readonly includeDismissed: boolean;
  /** Sanctions lists that the request has chosen; null or absent for those of the account and of every answer. */
  readonly chosen?: readonly SanctionsList[] | null;
}

/**
 * Compares an owner with each list, and omits candidates that the account has dismissed unless they are requested. The lists are those of
 * every answer and those that the account has chosen; sanctions lists that the request has chosen replace the others. Screenings that a
 * request starts together share the look-ups.
 * @throws AppError MODULE_NOT_ENABLED when the key has none of the lists' modules
 */
export async function screenOwner(
  owner: OwnerOfCompany,
  ctx: RequestContext,
  { chosen = null, ...options }: ScreeningOptions,
): Promise<OwnerScreening> {
  const { id: ownerId, ofCompany: company, screenedBy } = owner;
  const lists = listsFor(screenedBy, ctx.caller.lists, chosen);
  await scheduleOf(ctx).next();
  const [outcomes, decisions] = await Promise.all([
    Promise.allSettled(lists.map((loader) => ctx.ask(loader, owner))),
    decisionsOf(ctx, screenedBy.module, { company, ownerId }),
  ]);
  const listings = outcomes.map((outcome, i): OwnerListing => {
    const { list } = lists[i] as OwnerListLoader;
    if (outcome.status === 'rejected') return { list, reason: reasonOf(outcome.reason) };
    const { value, freshness } = outcome.value;
    return typeof value === 'string' ? { list, reason: value } : { list, candidates: value, freshness };
  });
  const [first] = outcomes;
  const hasNoModule = listings.every((one) => 'reason' in one && one.reason === 'module_not_enabled');
  if (hasNoModule && first?.status === 'rejected') throw first.reason;
  return toOwnerScreening(listings, decisions, options);
}

/**
 * Returns the reason of a failure.
 * @throws every error that is not about the list or the key, because it ends the request or is a defect
 */
function reasonOf(error: unknown): NotCheckedReason {
  const code = error instanceof AppError ? error.code : null;
  if (code === 'SOURCE_UNAVAILABLE') return 'source_unavailable';
  if (code === 'MODULE_NOT_ENABLED') return 'module_not_enabled';
  throw error;
}
