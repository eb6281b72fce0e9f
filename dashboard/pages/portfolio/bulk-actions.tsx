import { useState } from 'react';
import type { Dashboard } from '../../state/dashboard.ts';
import type { WatchedCompany } from '../../state/model.ts';
import { unwatchCompanies } from '../../state/monitors.ts';
import { useMay } from '../../state/role.ts';
import { type TagChange, tagCompanies } from '../../state/tags.ts';
import { useWork } from '../../state/use-action.ts';
import { useTexts } from '../../texts/texts.ts';
import { problemText } from '../../ui/problem.ts';
import { Question } from '../../ui/question.tsx';
import { StepButton } from '../../ui/step-button.tsx';
import { SaveCsv } from '../delimiter-choice.tsx';
import { portfolioCsv } from './portfolio-csv.ts';

/** Maximum length of a tag in characters. */
const MAX_TAG_LENGTH = 40;

interface Props {
  readonly dashboard: Dashboard;
  /** The selected companies, at least one. */
  readonly chosen: readonly WatchedCompany[];
  /** Tags of all watched companies. */
  readonly tags: readonly string[];
  /** Called when the selection is to end. */
  readonly onDone: () => void;
}

/**
 * Actions for the selected companies: tag them, save them as CSV, and stop watching them after a confirmation. A key that only reads may
 * save them.
 */
export function BulkActions({ dashboard, chosen, tags, onDone }: Props) {
  const texts = useTexts();
  const { isBusy, problem, act } = useWork();
  const [tag, setTag] = useState('');
  const [isAsking, setAsking] = useState(false);
  const mayChange = useMay('DECIDE');
  const n = chosen.length;
  const change = (tagChange: TagChange): Promise<void> =>
    act(async () => {
      await tagCompanies(dashboard, chosen, tagChange);
      setTag('');
    });
  const unwatch = (): Promise<void> =>
    act(async () => {
      await unwatchCompanies(dashboard.client, chosen);
      await dashboard.portfolio.load();
      onDone();
    });
  const canTag = !isBusy && tag.trim() !== '';
  return (
    <section className="body column bulk" aria-label={texts('list.actions')}>
      <form
        className="row"
        onSubmit={(event) => {
          event.preventDefault();
          if (canTag) void change({ add: [tag] });
        }}
      >
        <strong role="status">{texts('list.selected', { n })}</strong>
        {mayChange && (
          <>
            <TagField tag={tag} tags={tags} onChange={setTag} />
            <StepButton isPossible={canTag} onStep={() => void change({ add: [tag] })}>
              {texts('list.addTag')}
            </StepButton>
            <StepButton isPossible={canTag} onStep={() => void change({ remove: [tag] })}>
              {texts('list.removeTag')}
            </StepButton>
          </>
        )}
        <SaveCsv text={texts('csv.save')} name={texts('file.portfolio')} csv={(delimiter) => portfolioCsv(chosen, texts, delimiter)} />
        {mayChange && (
          <button type="button" disabled={isBusy} aria-expanded={isAsking} onClick={() => setAsking(!isAsking)}>
            {texts('list.unwatch', { n })}
          </button>
        )}
      </form>
      {isAsking && (
        <Question
          text={texts('list.unwatchMeans', { n })}
          yes={texts('list.unwatchNow')}
          isBusy={isBusy}
          onYes={() => void unwatch()}
          onNo={() => setAsking(false)}
        />
      )}
      {problem && (
        <p className="notice" role="alert">
          {problemText(problem, texts)}
        </p>
      )}
    </section>
  );
}

interface TagFieldProps extends Pick<Props, 'tags'> {
  readonly tag: string;
  readonly onChange: (tag: string) => void;
}

/** A field for a tag, which offers those in use. */
function TagField({ tag, tags, onChange }: TagFieldProps) {
  const texts = useTexts();
  return (
    <>
      <input
        aria-label={texts('list.tag')}
        placeholder={texts('list.tag')}
        list="tags"
        maxLength={MAX_TAG_LENGTH}
        value={tag}
        onChange={({ target }) => onChange(target.value)}
      />
      <datalist id="tags">
        {tags.map((one) => (
          <option key={one} value={one} />
        ))}
      </datalist>
    </>
  );
}
