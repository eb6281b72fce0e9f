import type { Verdict } from '../api/operations.ts';
import { useTexts } from '../texts/texts.ts';
import { Shape } from './badge.tsx';
import { toneOfOwners } from './owners-tone.ts';

/** True if an owner has something to review. A stored verdict of an earlier version of the page has no such numbers. */
export const hasOwnersToReview = (verdict: Verdict | null): boolean => (verdict?.ownersToReview?.total ?? 0) > 0;

/** The numbers of owners that have candidates on the lists, and that were not compared. It shows nothing for a verdict without owners. */
export function OwnersToReview({ verdict: { ownersToReview: review, completeness } }: { readonly verdict: Verdict }) {
  const texts = useTexts();
  if (!review || review.owners === 0) return null;
  const { total, byTaxId, notCompared, owners } = review;
  const tone = toneOfOwners(review, completeness);
  return (
    <span className={`owners-to-review ${tone}`}>
      <Shape tone={tone} /> {texts(byTaxId > 0 ? 'owners.reviewById' : 'owners.review', { total, owners, byTaxId })}
      {notCompared > 0 && ` · ${texts('owners.notCompared', { n: notCompared })}`}
    </span>
  );
}
