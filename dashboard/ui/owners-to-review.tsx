import type { Country, Verdict } from '../api/operations.ts';
import { useTexts } from '../texts/texts.ts';
import { Shape } from './badge.tsx';
import { reviewKey, toneOfOwners } from './owners-tone.ts';

/** True if an owner has something to review. A stored verdict of an earlier version of the page has no such numbers. */
export const hasOwnersToReview = (verdict: Verdict | null): boolean => (verdict?.ownersToReview?.total ?? 0) > 0;

interface Props {
  readonly verdict: Verdict;
  readonly country: Country;
}

/**
 * The numbers of owners that have candidates on the lists, and that were not compared; of a Colombian company its legal representatives. It
 * shows nothing for a verdict without owners.
 */
export function OwnersToReview({ verdict: { ownersToReview: review, completeness }, country }: Props) {
  const texts = useTexts();
  if (!review || review.owners === 0) return null;
  const { total, byTaxId, notCompared, owners } = review;
  const tone = toneOfOwners(review, completeness, country);
  return (
    <span className={`owners-to-review ${tone}`}>
      <Shape tone={tone} /> {texts(reviewKey(country, byTaxId), { total, owners, byTaxId })}
      {notCompared > 0 && ` · ${texts('owners.notCompared', { n: notCompared })}`}
    </span>
  );
}
