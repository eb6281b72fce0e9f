import { useState } from 'react';
import { ApiError, type Client, requireData } from '../../api/client.ts';
import { type Country, Receipt as ReceiptQuery } from '../../api/operations.ts';
import { useTexts } from '../../texts/texts.ts';
import { problemText } from '../../ui/problem.ts';

const TIMEOUT_MS = 20_000;

interface Props {
  readonly client: Client;
  readonly country: Country;
  readonly identifier: string;
}

/** Downloads the signed receipt of a new consolidated check as PDF, in the language of the page. */
export function Receipt({ client, country, identifier }: Props) {
  const texts = useTexts();
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<ApiError | null>(null);
  async function download(): Promise<void> {
    setBusy(true);
    try {
      const answer = await client.ask(ReceiptQuery, { identifier, country });
      const evidence = answer.data?.company?.compliance?.evidence ?? null;
      const { id } = requireData({ data: evidence, errors: answer.errors });
      save(await pdfOf(client.key, id, texts.language), `${id}.pdf`);
      setProblem(null);
    } catch (error) {
      setProblem(error instanceof ApiError ? error : new ApiError('UNREACHABLE', String(error)));
    } finally {
      setBusy(false);
    }
  }
  return (
    <p className="row">
      <button type="button" disabled={isBusy} onClick={() => void download()}>
        {texts('receipt.download')}
      </button>
      {problem && (
        <span className="notice" role="alert">
          {problemText(problem, texts)}
        </span>
      )}
    </p>
  );
}

/** @throws ApiError with the sentence of the server */
async function pdfOf(key: string, id: string, language: string): Promise<Blob> {
  const response = await fetch(`/v1/evidence/${id}?format=pdf&language=${language}`, {
    headers: { 'x-api-key': key },
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  if (response.ok) return response.blob();
  const { detail } = await response.json().catch(() => ({}));
  throw new ApiError('INVALID_INPUT', detail ?? `HTTP status ${response.status}`);
}

function save(content: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), TIMEOUT_MS);
}
