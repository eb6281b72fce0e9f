import { useTexts } from '../texts/texts.ts';

/** Placeholder of a value that is being read. */
export function Skeleton() {
  const texts = useTexts();
  return (
    <span className="skeleton">
      <span className="hidden">{texts('loading')}</span>
    </span>
  );
}

/** Placeholder of a list or of a part of a page that is being read. Screen readers read its sentence once. */
export function SkeletonLines() {
  const texts = useTexts();
  return (
    <div className="skeleton-lines">
      <span className="hidden">{texts('loading')}</span>
      <span className="skeleton" />
      <span className="skeleton" />
      <span className="skeleton" />
    </div>
  );
}

/** Says how many of the watched companies were read. `of`: number of watched companies; null before it is known. */
export function ReadSoFar({ n, of }: { readonly n: number; readonly of: number | null }) {
  const texts = useTexts();
  return of === null ? <Skeleton /> : texts('board.read', { n, of });
}
