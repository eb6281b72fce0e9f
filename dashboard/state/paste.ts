import { type Answer, type Client, requireData } from '../api/client.ts';
import { type Country, Monitors, ReadIdentifiers, Watch, WatchMore } from '../api/operations.ts';
import type { Dashboard } from './dashboard.ts';
import { companyId } from './model.ts';

type Company = NonNullable<ReadIdentifiers['companies'][number]>;

/** One pasted text, and what it is. */
export interface PastedRow {
  readonly given: string;
  readonly state: 'ready' | 'already' | 'repeated' | 'unsupported' | 'wrong';
  /** Null for a text that is no tax id. */
  readonly company: Company | null;
  /** What the API says is wrong; null where nothing is. */
  readonly message: string | null;
}

/** Countries whose companies can be watched. */
const WATCHED: readonly Country[] = ['BR', 'CL'];

/** Texts of lines, and of fields that commas, semicolons or tabs separate. */
export const splitPasted = (text: string): readonly string[] =>
  text
    .split(/[\n,;\t]/)
    .map((one) => one.trim())
    .filter((one) => one !== '');

/** Reads pasted texts in their order. @throws ApiError */
export async function readPasted(
  { client, store }: Pick<Dashboard, 'client' | 'store'>,
  pasted: readonly string[],
): Promise<readonly PastedRow[]> {
  const answer: Answer<ReadIdentifiers> = await client.ask(ReadIdentifiers, { identifiers: pasted });
  const { companies } = requireData(answer);
  const watched = store.get().companies;
  const seen = new Set<string>();
  return pasted.map((given, at): PastedRow => {
    const company = companies[at] ?? null;
    if (!company) return { given, company, state: 'wrong', message: answer.errors.find(({ path }) => path[1] === at)?.message ?? null };
    const id = companyId(company);
    const isRepeated = seen.has(id);
    seen.add(id);
    return { given, company, message: null, state: stateOf(company, { isRepeated, isWatched: watched.has(id) }) };
  });
}

function stateOf(
  { country }: Company,
  { isRepeated, isWatched }: { readonly isRepeated: boolean; readonly isWatched: boolean },
): PastedRow['state'] {
  if (!WATCHED.includes(country)) return 'unsupported';
  if (isRepeated) return 'repeated';
  return isWatched ? 'already' : 'ready';
}

/** Watches companies: by the key's monitor of their country that has no webhook, or by a new one. @throws ApiError */
export async function watchRows(client: Client, rows: readonly PastedRow[]): Promise<void> {
  const monitors = requireData(await client.ask(Monitors, {})).monitors?.nodes ?? [];
  const companies = rows.flatMap(({ company }) => company ?? []);
  for (const [country, those] of Map.groupBy(companies, (company) => company.country)) {
    const identifiers = those.map(({ identifier }) => identifier);
    const monitor = monitors.find((one) => one.country === country && one.webhookUrl === null);
    const hasRoom = monitor && monitor.identifiers.length + identifiers.length <= 500;
    const { errors } = hasRoom
      ? await client.ask(WatchMore, { id: monitor.id, identifiers })
      : await client.ask(Watch, { country, identifiers });
    if (errors[0]) throw errors[0];
  }
}
