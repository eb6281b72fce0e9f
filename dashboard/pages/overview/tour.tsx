import { useEffect, useState } from 'react';
import { useTexts } from '../../texts/texts.ts';
import { Link } from '../../ui/link.tsx';
import { pathOf } from '../../ui/route.ts';

const STORED = 'quipu.tour';

/** Elements of the steps, by the id of their titles; the last step links to another page. */
const STEPS = ['board-title', 'feed-title', null] as const;

/** Three steps for the first visit of a sandbox. It takes no focus and covers nothing. Once closed, it is not shown again. */
export function Tour() {
  const texts = useTexts();
  const [step, setStep] = useState(() => (localStorage.getItem(STORED) === null ? 0 : STEPS.length));
  useEffect(() => {
    const title = STEPS[step];
    const place = title ? document.getElementById(title)?.closest('section') : null;
    place?.classList.add('toured');
    return () => place?.classList.remove('toured');
  }, [step]);
  const close = (): void => {
    localStorage.setItem(STORED, 'done');
    setStep(STEPS.length);
  };
  if (step >= STEPS.length) return null;
  const isLast = step === STEPS.length - 1;
  return (
    <section className="notice row spread" aria-label={texts('tour.title')} data-step={step + 1}>
      <p>
        <strong>{texts('tour.step', { n: step + 1, of: STEPS.length })}</strong> {texts(`tour.${step as 0 | 1 | 2}`)}
      </p>
      <span className="row">
        {isLast ? (
          <Link href={pathOf('/sandbox')} onClick={close}>
            {texts('nav.sandbox')}
          </Link>
        ) : (
          <button type="button" className="primary" onClick={() => setStep(step + 1)}>
            {texts('tour.next')}
          </button>
        )}
        <button type="button" className="plain" onClick={close}>
          {texts('tour.close')}
        </button>
      </span>
    </section>
  );
}
