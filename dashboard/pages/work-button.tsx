import { useWork } from '../state/use-action.ts';
import { useTexts } from '../texts/texts.ts';
import { problemText } from '../ui/problem.ts';

interface Props {
  readonly text: string;
  readonly isPrimary?: boolean;
  /** True for a button without a border, such as those of the header. */
  readonly isPlain?: boolean;
  readonly work: () => Promise<void>;
}

/** A button that starts work. It is disabled during the work, and shows its failure. */
export function WorkButton({ text, isPrimary = false, isPlain = false, work }: Props) {
  const texts = useTexts();
  const { isBusy, problem, act } = useWork();
  return (
    <>
      <button
        type="button"
        className={isPrimary ? 'primary' : isPlain ? 'plain' : undefined}
        disabled={isBusy}
        onClick={() => void act(work)}
      >
        {text}
      </button>
      {problem && (
        <span className="notice" role="alert">
          {problemText(problem, texts)}
        </span>
      )}
    </>
  );
}
