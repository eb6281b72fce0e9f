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
