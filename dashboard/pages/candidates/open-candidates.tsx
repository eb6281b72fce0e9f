import { openCandidates } from '../../state/candidates.ts';
import type { Dashboard } from '../../state/dashboard.ts';
import { useStore } from '../../state/store.ts';
import { useTexts } from '../../texts/texts.ts';

/** The number of candidates that a person must decide about. Nothing is shown before it is known. */
export function OpenCandidates({ dashboard }: { readonly dashboard: Dashboard }) {
  const texts = useTexts();
  const open = useStore(dashboard.store, openCandidates);
  if (open === null) return null;
  return (
    <>
      {' '}
      <span className="count number">{open.toLocaleString(texts.language)}</span>
      <span className="hidden">{texts('decisions.toReview')}</span>
    </>
  );
}
