import { type Answer, oldest } from '../../../domain/answer.ts';
import type { RegistrationStatus } from '../../../domain/company.ts';
import { invalidInput } from '../../../domain/errors.ts';
import { compositionLoader, ownedLoader } from '../../../loaders/cl-ownership.ts';
import type { Load } from '../../../loaders/loader.ts';
import { siiRecordLoader, statusOf } from '../../../loaders/taxpayer.ts';
import { operationMessages } from '../../../messages/operations.ts';
import type { CompanyShare } from '../../../sources/cl-ownership/composition.ts';
import { type Holding, type HoldingCursor, type Holdings, missingRowsReason } from '../domain/holdings.ts';
import { declaredShare } from '../domain/share.ts';
import { agesOf, type ChileanRecord, chileanKey, loadRecords, nameIn } from './chile-records.ts';
import { PARTNER_ROLE } from './declared.ts';

/** Request for a page of the companies that a Chilean company owns. */
export interface ChileanHoldingsRequest {
  /** Bare RUT of the owner. */
  readonly owner: string;
  /** Bare RUT of a company that is left out; null for none. */
  readonly except: string | null;
  readonly first: number;
  readonly after: HoldingCursor | null;
}

/**
 * Loads a page of the companies that a Chilean company owns, by RUT, with their shares. A company of the file is known, also if the registry
 * does not have it.
 * @throws AppError SOURCE_UNAVAILABLE; INVALID_INPUT on `after` for the position of a list of Brazil, where roots may have letters
 */
export async function loadChileanHoldings({ owner, except, first, after }: ChileanHoldingsRequest, load: Load): Promise<Answer<Holdings>> {
  if (after && !/^\d{8}$/.test(after.root)) throw invalidInput('after', operationMessages.notACursor());
  // One more than the page, because a company may be left out. The check digit of a position is not read.
  const request = { owner, first: first + 1, after: after && `${after.root}0` };
  const [{ value, freshness }, composition] = await Promise.all([load(ownedLoader, request), load(compositionLoader, chileanKey(owner))]);
  const others = value.items.filter(({ rut }) => rut !== except);
  const shown = others.slice(0, first);
  const [own = null, ...records] = await loadRecords([owner, ...shown.map(({ rut }) => rut)], load);
  const isListed = composition.value.isListed || value.items.length > 0;
  if (!isListed && own === null) await load(siiRecordLoader, chileanKey(owner)); // rethrows its failure: the company may exist
  return {
    value: {
      items: shown.map((one, i) => toHolding(one, records[i] ?? null, freshness.dataAsOf)),
      hasMore: value.hasMore || others.length > first,
      companyKnown: isListed || own?.value.company != null,
      reason: missingRowsReason({ unreadPartners: value.unread, hasErased: false }),
    },
    freshness: oldest([freshness, composition.freshness, ...agesOf([own, ...records])]),
  };
}

const toHolding = ({ rut, share, text }: CompanyShare, record: ChileanRecord, asOf: string | null): Holding => ({
  taxId: rut,
  name: nameIn(record),
  status: registrationOf(record),
  role: PARTNER_ROLE,
  since: null,
  share: declaredShare(share, asOf, text),
  position: { root: rut.slice(0, 8), role: null, since: null },
});

/** Returns the registration of a company; null if the registry does not have it or fails, and if its end is unknown. */
function registrationOf(record: ChileanRecord): Exclude<RegistrationStatus, 'not_found'> | null {
  if (record === null || record.value.isEndUnknown) return null;
  const status = statusOf({ source: 'sii', record: record.value.company });
  return status === 'not_found' ? null : status;
}
