import { useState } from 'react';
import type { QuipuError } from '../../../clients/typescript/src/error.ts';
import { type Client, problemOf, requireData } from '../../api/client.ts';
import { download } from '../../api/download.ts';
import { type Country, Receipt as ReceiptQuery } from '../../api/operations.ts';
import { useTexts } from '../../texts/texts.ts';
import { problemText } from '../../ui/problem.ts';

interface Props {
  readonly client: Client;
  readonly country: Country;
  readonly identifier: string;
}

/** Downloads the signed receipt of a new consolidated check as PDF, in the language of the page. */
export function Receipt({ client, country, identifier }: Props) {
  const texts = useTexts();
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<QuipuError | null>(null);
  async function save(): Promise<void> {
    setBusy(true);
    try {
      const answer = await client.ask(ReceiptQuery, { identifier, country });
      const evidence = answer.data?.company?.compliance?.evidence ?? null;
      const { id } = requireData({ data: evidence, errors: answer.errors });
      await download(client, `/v1/evidence/${id}?format=pdf&language=${texts.language}`, `${id}.pdf`);
      setProblem(null);
    } catch (error) {
      setProblem(problemOf(error));
    } finally {
      setBusy(false);
    }
  }
  return (
    <>
      <button type="button" disabled={isBusy} onClick={() => void save()}>
        {texts('receipt.download')}
      </button>
      {problem && (
        <span className="notice" role="alert">
          {problemText(problem, texts)}
        </span>
      )}
    </>
  );
}
