import { type Client, requireData } from '../../api/client.ts';
import { download } from '../../api/download.ts';
import { type Country, Receipt as ReceiptQuery } from '../../api/operations.ts';
import { useTexts } from '../../texts/texts.ts';
import { WorkButton } from '../work-button.tsx';

interface Props {
  readonly client: Client;
  readonly country: Country;
  readonly identifier: string;
  /** Called when a receipt was issued. */
  readonly onIssued: () => void;
}

/**
 * Downloads the receipt of a new consolidated check as PDF, or the report about the company that is written from it, in the language of the
 * page and the time zone of the browser.
 */
export function Receipt({ client, country, identifier, onIssued }: Props) {
  const texts = useTexts();
  async function save(format: 'pdf' | 'report'): Promise<void> {
    const answer = await client.ask(ReceiptQuery, { identifier, country });
    const evidence = answer.data?.company?.compliance?.evidence ?? null;
    const { id } = requireData({ data: evidence, errors: answer.errors });
    onIssued();
    const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
    const query = new URLSearchParams({ format, language: texts.language, time_zone: timeZone });
    await download(client, `/v1/evidence/${id}?${query}`, format === 'pdf' ? `${id}.pdf` : `${id}-report.pdf`);
  }
  return (
    <>
      <WorkButton text={texts('receipt.download')} work={() => save('pdf')} />
      <WorkButton text={texts('report.download')} work={() => save('report')} />
    </>
  );
}
