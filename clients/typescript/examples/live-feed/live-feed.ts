/**
 * Prints the changes of the watched companies as they are found, with the risk level after each.
 * Run it: QUIPU_URL=http://localhost:4000 QUIPU_KEY=sk_… node live-feed.ts [FILE OF THE CURSOR]
 */
import { readFile, writeFile } from 'node:fs/promises';
import { type Change, createClient, PortfolioDocument, QuipuError } from '@quipu/client';

const [, , file = 'cursor'] = process.argv;
const quipu = createClient({ url: process.env.QUIPU_URL ?? 'http://localhost:4000', key: process.env.QUIPU_KEY ?? '' });

const stop = new AbortController();
process.once('SIGINT', () => stop.abort());
process.once('SIGTERM', () => stop.abort());

/** Returns name and risk level of a company; its tax id alone outside Brazil, or if a check failed. */
async function describe({ country, formattedIdentifier }: Change['company']): Promise<string> {
  if (country !== 'BR') return formattedIdentifier;
  try {
    const { companies } = await quipu.query(PortfolioDocument, { identifiers: [formattedIdentifier] });
    const { name, compliance } = companies[0] ?? {};
    return `${formattedIdentifier} ${name} (risk ${compliance?.riskLevel}, ${compliance?.completeness})`;
  } catch (error) {
    return `${formattedIdentifier} (${error instanceof QuipuError ? error.code : error})`;
  }
}

try {
  const changes = quipu.subscribeToChanges({
    after: await readFile(file, 'utf8').catch(() => null),
    saveCursor: (cursor) => writeFile(file, cursor),
    onRetry: ({ message }) => console.error(`… ${message} Connecting again.`),
    signal: stop.signal,
  });
  for await (const { detectedAt, company, changedFields } of changes) {
    console.log(`${detectedAt}  ${await describe(company)}`);
    for (const { field, from, to } of changedFields) console.log(`    ${field}: ${from ?? 'none'} → ${to ?? 'none'}`);
  }
} catch (error) {
  if (!stop.signal.aborted) {
    console.error(error instanceof QuipuError ? `${error.code}: ${error.message}` : error);
    process.exitCode = 1;
  }
}
