import { type Answer, oldest } from '../../../domain/answer.ts';
import { compositionLoader, ownedLoader, ownershipPathLoader } from '../../../loaders/cl-ownership.ts';
import type { Load } from '../../../loaders/loader.ts';
import { siiRecordLoader } from '../../../loaders/taxpayer.ts';
import { missingRowsReason } from '../domain/holdings.ts';
import type { CompanyPath, PathCompany } from '../domain/path.ts';
import { declaredShare } from '../domain/share.ts';
import { chileanKey, loadNames } from './chile-records.ts';
import { PARTNER_ROLE } from './declared.ts';

/**
 * Loads a shortest path between two Chilean companies, by bare RUT, through companies only: the file names no people.
 * @throws AppError SOURCE_UNAVAILABLE
 */
export async function loadChileanPath(from: string, to: string, maxDepth: number, load: Load): Promise<Answer<CompanyPath>> {
  const { value: path, freshness } = await load(ownershipPathLoader, { from, to, maxDepth });
  const { names, ages } = await loadNames([from, to, ...path.links.flatMap(({ owner, owned }) => [owner, owned])], load);
  const company = (taxId: string): PathCompany => ({ taxId, name: names.get(taxId) ?? null });
  const [fromKnown, toKnown] = await Promise.all([isKnown(from, load), isKnown(to, load)]);
  return {
    value: {
      status: path.status,
      stoppedBy: path.stoppedBy,
      edges: path.links.map(({ owner, owned, share, text }) => ({
        owner: company(owner),
        person: null,
        owned: company(owned),
        role: PARTNER_ROLE,
        since: null,
        share: declaredShare(share, freshness.dataAsOf, text),
      })),
      visitedCompanies: path.visited,
      visitedPeople: 0,
      fromKnown,
      toKnown,
      reason: missingRowsReason({ unreadPartners: path.unread, hasErased: false }),
    },
    freshness: oldest([freshness, ...ages]),
  };
}

/** True if the file of owners or the registry has a company. @throws AppError SOURCE_UNAVAILABLE if the file has not, and the registry fails */
async function isKnown(taxId: string, load: Load): Promise<boolean> {
  const { value } = await load(compositionLoader, chileanKey(taxId));
  if (value.isListed) return true;
  const { value: owned } = await load(ownedLoader, { owner: taxId, first: 1, after: null });
  return owned.items.length > 0 || (await load(siiRecordLoader, chileanKey(taxId))).value.company !== null;
}
