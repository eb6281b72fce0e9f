import { useState } from 'react';
import type { Client } from '../../api/client.ts';
import { type Country, type RegistryChange, RegistryHistory as RegistryHistoryQuery } from '../../api/operations.ts';
import { isPart } from '../../state/timeline.ts';
import { useAction } from '../../state/use-action.ts';
import { useTexts } from '../../texts/texts.ts';
import { withDates } from '../../ui/date.ts';
import { problemText } from '../../ui/problem.ts';

interface Props {
  readonly client: Client;
  readonly country: Country;
  readonly identifier: string;
  readonly onRead: (changes: readonly RegistryChange[]) => void;
}

/** Reads the differences between the extracts of the registry on demand, because the answer counts on the key's plan. */
export function RegistryHistory({ client, country, identifier, onRead }: Props) {
  const texts = useTexts();
  const [found, setFound] = useState<{ readonly count: string; readonly coverage: string | null } | null>(null);
  const read = useAction(client, RegistryHistoryQuery, ({ company }) => {
    const changes = company?.history?.nodes ?? [];
    const count = `${changes.length.toLocaleString(texts.language)}${isPart([company?.history]) ? '+' : ''}`;
    setFound({ count, coverage: company?.history?.coverage ?? null });
    onRead(changes);
  });
  if (found !== null)
    return (
      <p className="quiet small">
        {texts('history.read', { n: found.count })} {found.coverage && withDates(found.coverage, texts.language)}
      </p>
    );
  const { problem } = read;
  return (
    <>
      <p>
        <button type="button" disabled={read.isBusy} onClick={() => void read.run({ country, identifier })}>
          {texts('history.button')}
        </button>
      </p>
      {problem && (
        <p className="small" role="status">
          {problem.code === 'SOURCE_NOT_CONFIGURED' || problem.code === 'NO_RECORD_THEN'
            ? texts('history.noCopy')
            : problemText(problem, texts)}
        </p>
      )}
    </>
  );
}
