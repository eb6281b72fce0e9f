import { useTexts } from '../texts/texts.ts';

/** Stands where a value will be that is being read. */
export function Skeleton() {
  const texts = useTexts();
  return (
    <span className="skeleton">
      <span className="hidden">{texts('loading')}</span>
    </span>
  );
}
