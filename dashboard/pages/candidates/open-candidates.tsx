import { useTexts } from '../../texts/texts.ts';

/** The number of candidates that a person must decide about. Nothing is shown before it is known. @param open null before it is known */
export function OpenCandidates({ open }: { readonly open: number | null }) {
  const texts = useTexts();
  if (open === null) return null;
  return (
    <>
      {' '}
      <span className="count number">{open.toLocaleString(texts.language)}</span>
      <span className="hidden">{texts('decisions.toReview')}</span>
    </>
  );
}
