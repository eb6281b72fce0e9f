import { useTexts } from '../../texts/texts.ts';
import { SkeletonLines } from '../../ui/skeleton.tsx';

/** The page of a company before its answer: which company is read, and the places of its parts. @param name name, or tax id */
export function CompanyWaiting({ name }: { readonly name: string }) {
  const texts = useTexts();
  return (
    <>
      <p>
        <strong>{name}</strong>
      </p>
      {(['company.verdict', 'record.title', 'company.checks'] as const).map((title) => (
        <section key={title} className="panel" aria-busy="true">
          <header>
            <strong>{texts(title)}</strong>
          </header>
          <SkeletonLines />
        </section>
      ))}
    </>
  );
}
