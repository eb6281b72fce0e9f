import { type ReactNode, Suspense } from 'react';
import { useTexts } from '../texts/texts.ts';
import { PageBoundary } from '../ui/page-boundary.tsx';
import { RetryNotice } from '../ui/retry-notice.tsx';
import { SkeletonLines } from '../ui/skeleton.tsx';

/** The place of a part whose script is loaded when it is shown. If that fails, it says so and offers to load the page again. */
export function LazyPart({ children }: { readonly children: ReactNode }) {
  const texts = useTexts();
  return (
    <PageBoundary failed={<RetryNotice onRetry={() => location.reload()}>{texts('partFailed')}</RetryNotice>}>
      <Suspense fallback={<SkeletonLines />}>{children}</Suspense>
    </PageBoundary>
  );
}
