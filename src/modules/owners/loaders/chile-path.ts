import { type Answer, oldest } from '../../../domain/answer.ts';
import type { CompanyKey } from '../../../domain/company.ts';
import { compositionLoader, ownedLoader, ownershipPathLoader } from '../../../loaders/cl-ownership.ts';
import { orUnavailable } from '../../../loaders/derived-from.ts';
import type { Load } from '../../../loaders/loader.ts';
import { siiTaxpayerLoader } from '../../../loaders/taxpayer.ts';
import { missingRowsReason } from '../domain/holdings.ts';
import type { CompanyPath, PathCompany } from '../domain/path.ts';
import { declaredShare } from '../domain/share.ts';
import { PARTNER_ROLE } from './declared.ts';

const keyOf = (taxId: string): CompanyKey => ({ country: 'CL', taxId });

/**
 * Loads a shortest path between two Chilean companies, by bare RUT, through companies only: the file names no people.
 * @throws AppError SOURCE_UNAVAILABLE
 */
export async function loadChileanPath(from: string, to: string, maxDepth: number, load: Load): Promise<Answer<CompanyPath>> {
  const { value: path, freshness } = await load(ownershipPathLoader, { from, to, maxDepth });
  const taxIds = [...new Set([from, to, ...path.links.flatMap(({ owner, owned }) => [owner, owned])])];
  const records = await Promise.all(taxIds.map((taxId) => orUnavailable(load(siiTaxpayerLoader, keyOf(taxId)))));
  const names = new Map(records.map((answer, i) => [taxIds[i] ?? '', answer?.value.record?.name ?? null]));
  const company = (taxId: string): PathCompany => ({ taxId, name: names.get(taxId) ?? null });
  const [fromKnown, toKnown] = await Promise.all([isKnown(from, load), isKnown(to, load)]);
  const ages = records.flatMap((answer) => (answer ? [{ ...answer.freshness, dataAsOf: null }] : []));
  return {
    value: {
      status: path.status,
      stoppedBy: path.stoppedBy,
      edges: path.links.map(({ owner, owned, share }) => ({
        owner: company(owner),
        person: null,
        owned: company(owned),
        role: PARTNER_ROLE,
        since: null,
        share: declaredShare(share, freshness.dataAsOf),
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
  const { value } = await load(compositionLoader, keyOf(taxId));
  if (value.isListed) return true;
  const { value: owned } = await load(ownedLoader, { owner: taxId, first: 1, after: null });
  return owned.items.length > 0 || (await load(siiTaxpayerLoader, keyOf(taxId))).value.record !== null;
}
