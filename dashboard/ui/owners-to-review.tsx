import type { Verdict } from '../api/operations.ts';
import { useTexts } from '../texts/texts.ts';
import { Shape, type Tone } from './badge.tsx';

/** Returns the tone of the owners of a verdict: none while some could not be compared, which is no clearance. */
function toneOfOwners({ total, byTaxId, notCompared }: NonNullable<Verdict['ownersToReview']>): Tone {
  if (byTaxId > 0) return 'high';
  if (total > 0) return 'medium';
  return notCompared > 0 ? 'none' : 'low';
}

/** True if an owner has something to review. A stored verdict of an earlier version of the page has no such numbers. */
export const hasOwnersToReview = (verdict: Verdict | null): boolean => (verdict?.ownersToReview?.total ?? 0) > 0;

/** The numbers of owners that have candidates on the lists, and that were not compared. It shows nothing for a verdict without owners. */
export function OwnersToReview({ verdict: { ownersToReview: review } }: { readonly verdict: Verdict }) {
  const texts = useTexts();
  if (!review || review.owners === 0) return null;
  const { total, byTaxId, notCompared, owners } = review;
  return (
    <span className={`owners-to-review ${toneOfOwners(review)}`}>
      <Shape tone={toneOfOwners(review)} /> {texts(byTaxId > 0 ? 'owners.reviewById' : 'owners.review', { total, owners, byTaxId })}
      {notCompared > 0 && ` · ${texts('owners.notCompared', { n: notCompared })}`}
    </span>
  );
}
