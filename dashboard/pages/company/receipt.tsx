import { type Client, requireData } from '../../api/client.ts';
import { download } from '../../api/download.ts';
import { type Country, Receipt as ReceiptQuery } from '../../api/operations.ts';
import { useTexts } from '../../texts/texts.ts';
import { WorkButton } from '../work-button.tsx';

interface Props {
  readonly client: Client;
  readonly country: Country;
  readonly identifier: string;
}

/** Downloads the signed receipt of a new consolidated check as PDF, in the language of the page. */
export function Receipt({ client, country, identifier }: Props) {
  const texts = useTexts();
  async function save(): Promise<void> {
    const answer = await client.ask(ReceiptQuery, { identifier, country });
    const evidence = answer.data?.company?.compliance?.evidence ?? null;
    const { id } = requireData({ data: evidence, errors: answer.errors });
    await download(client, `/v1/evidence/${id}?format=pdf&language=${texts.language}`, `${id}.pdf`);
  }
  return <WorkButton text={texts('receipt.download')} work={save} />;
}
