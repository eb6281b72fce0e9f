import type { ReactNode } from 'react';
import { useTexts } from '../texts/texts.ts';

/** A sentence about a failure, with a button that reads again. */
export function RetryNotice({ children, onRetry }: { readonly children: ReactNode; readonly onRetry: () => void }) {
  const texts = useTexts();
  return (
    <p className="notice row spread" role="alert">
      <span>{children}</span>
      <button type="button" onClick={onRetry}>
        {texts('retry')}
      </button>
    </p>
  );
}
