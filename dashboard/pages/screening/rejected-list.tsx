import type { Client } from '../../api/client.ts';
import { RejectedRows } from '../../api/operations.ts';
import { ownText } from '../../state/screening-results.ts';
import { useAnswer } from '../../state/use-answer.ts';
import { useTexts } from '../../texts/texts.ts';
import { Badge } from '../../ui/badge.tsx';
import { useCursors } from '../../ui/use-cursors.ts';
import { AnswerNotice } from '../answer-notice.tsx';
import { NoRows } from './no-rows.tsx';
import { Pager } from './pager.tsx';

/** The rows of a portfolio that are not checked, each with its reason. */
export function RejectedList({ client, id }: { readonly client: Client; readonly id: string }) {
  const texts = useTexts();
  const cursors = useCursors();
  const shown = useAnswer(client, RejectedRows, { id, after: cursors.after });
  const page = shown.answer?.data?.screening?.rejectedRows;
  return (
    <>
      <AnswerNotice shown={shown} />
      {shown.isCurrent && page?.nodes.length === 0 && <NoRows cursors={cursors} none={texts('screened.noRows')} />}
      <ul className="results">
        {page?.nodes.map(({ row, kind, reason, ownCells }) => (
          <li key={row} data-rejected={kind}>
            <span className="number">{texts('screened.row', { n: row })}</span>
            <Badge tone={kind === 'INVALID' ? 'high' : 'none'}>{texts(`screened.${kind}`)}</Badge>
            <span className="wide">
              {reason} <span className="quiet small">{ownText(ownCells)}</span>
            </span>
          </li>
        ))}
      </ul>
      <Pager cursors={cursors} pageInfo={shown.isCurrent ? page?.pageInfo : undefined} />
    </>
  );
}
