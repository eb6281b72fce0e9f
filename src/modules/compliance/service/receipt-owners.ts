import type { RequestContext } from '../../../context.ts';
import { COMPLIANCE_MODULE_OF } from '../../../domain/catalogue.ts';
import type { CompanyKey } from '../../../domain/company.ts';
import type { ReceiptOwners } from '../../../evidence/receipt.ts';
import { ownersToReview } from '../../owners/domain/to-review.ts';
import { ownerIdOf } from '../../owners/loader.ts';
import { isScreened, screenOwner } from '../../owners/loaders/screened-owners.ts';
import { complianceOwnerScreenings } from '../../owners/loaders/screening.ts';
import type { Compliance } from '../loader.ts';

/** Compares the owners of a check with the lists, as `ownersToReview` in GraphQL does, and counts them. Null for a check without owners. */
export async function receiptOwners(ctx: RequestContext, company: CompanyKey, { checks }: Compliance): Promise<ReceiptOwners | null> {
  if (!checks.owners) return null;
  const { country, taxId } = company;
  const screenedBy = complianceOwnerScreenings[COMPLIANCE_MODULE_OF[country]];
  const screened = [...checks.owners.value.owners].filter(isScreened);
  const screenings = screened.map((owner) =>
    screenOwner({ ...owner, id: ownerIdOf(taxId, owner), ofCompany: { country, taxId }, screenedBy }, ctx, { includeDismissed: false }),
  );
  const { owners, total, byTaxId, notCompared } = ownersToReview(await Promise.all(screenings));
  return { total: owners, to_review: total, by_tax_id: byTaxId, not_compared: notCompared };
}
