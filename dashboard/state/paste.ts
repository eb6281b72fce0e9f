import { type Answer, type Client, requireData, requireNoError } from '../api/client.ts';
import { type Country, ReadIdentifiers, Watch, WatchMore } from '../api/operations.ts';
import type { Dashboard } from './dashboard.ts';
import { companyId, failureOf, knownWatched } from './model.ts';
import { readMonitors } from './monitors.ts';

type Company = NonNullable<ReadIdentifiers['companies'][number]>;

/** One pasted text, and its interpretation. */
export interface PastedRow {
  readonly given: string;
  /** Line of the file; null for a pasted text. */
  readonly line: number | null;
  /** Country of the row, as written; null to detect it from the form of the tax id. */
  readonly country: string | null;
  readonly state: 'ready' | 'already' | 'repeated' | 'unsupported' | 'wrong';
  /** Company; null for a text that is not a tax id. */
  readonly company: Company | null;
  /** Error message of the API; null if there is none. */
  readonly message: string | null;
}

/** Maximum number of tax ids of one request, and of companies of one monitor. */
const AT_ONCE = 500;
/** Maximum number of tax ids of one paste or file. */
export const MAX_PASTED = 5_000;

/** False for a NIT that is a natural person's by its length. The service watches no people. */
export const canWatch = ({ country, identifier }: Pick<Company, 'country' | 'identifier'>): boolean =>
  country !== 'CO' || identifier.length === 10;

/** Splits a text into lines, and into fields that commas, semicolons or tabs separate. */
export const splitPasted = (text: string): readonly string[] =>
  text
    .split(/[\n,;\t]/)
    .map((one) => one.trim())
    .filter((one) => one !== '');

const COUNTRIES: readonly Country[] = ['BR', 'CL', 'CO'];

/** A text, and its origin. */
export type Given = Pick<PastedRow, 'given' | 'line' | 'country'>;

/** Result for a row whose country the service does not support. */
const NO_COUNTRY: Read = { company: null, message: null };

interface Read {
  readonly company: Company | null;
  readonly message: string | null;
}

/** Reads texts of one country, or of any, by the API, and returns the results in their order. @throws QuipuError */
async function readTexts(client: Client, texts: readonly string[], country: string | null): Promise<readonly Read[]> {
  const known = COUNTRIES.find((one) => one === country?.toUpperCase()) ?? null;
  if (country !== null && known === null) return texts.map(() => NO_COUNTRY);
  const read: Read[] = [];
  for (let from = 0; from < texts.length; from += AT_ONCE) {
    const identifiers = texts.slice(from, from + AT_ONCE);
    const answer: Answer<ReadIdentifiers> = await client.ask(ReadIdentifiers, { identifiers, country: known });
    const messages = new Map(answer.errors.map(({ path, message }) => [path[1], message]));
    read.push(...requireData(answer).companies.map((company, at) => ({ company, message: messages.get(at) ?? null })));
  }
  return read;
}

/** Reads texts in their order. The API decides which of them are tax ids. @throws QuipuError */
export async function readPasted(
  { client, store }: Pick<Dashboard, 'client' | 'store'>,
  pasted: readonly Given[],
): Promise<readonly PastedRow[]> {
  const read = new Map<Given, Read>();
  for (const [country, those] of Map.groupBy(pasted, (row) => row.country)) {
    const results = await readTexts(
      client,
      those.map(({ given }) => given),
      country,
    );
    for (const [at, row] of those.entries()) read.set(row, results[at] ?? { company: null, message: null });
  }
  const watched = await watchedCompanies(store);
  const seen = new Set<string>();
  return pasted.map((row): PastedRow => {
    const { company, message } = read.get(row) ?? { company: null, message: null };
    if (!company) return { ...row, company, state: 'wrong', message };
    const id = companyId(company);
    const isRepeated = seen.has(id);
    seen.add(id);
    return { ...row, company, message: null, state: stateOf(company, { isRepeated, isWatched: watched.has(id) }) };
  });
}

/** Returns the watched companies as soon as they are known; none if the key watches none, or they cannot be read now. */
const watchedCompanies = (store: Dashboard['store']): Promise<ReadonlyMap<string, unknown>> =>
  new Promise((resolve) => {
    const check = (): void => {
      const { account, watched } = store.get();
      if (watched === null && !failureOf(store.get()) && account?.modules.includes('MONITOR') !== false) return;
      stop();
      resolve(knownWatched(store.get()));
    };
    const stop = store.subscribe(check);
    check();
  });

function stateOf(
  company: Company,
  { isRepeated, isWatched }: { readonly isRepeated: boolean; readonly isWatched: boolean },
): PastedRow['state'] {
  if (!canWatch(company)) return 'unsupported';
  if (isRepeated) return 'repeated';
  return isWatched ? 'already' : 'ready';
}

/**
 * Returns the tax ids of the companies of rows, each once, for a screening. A screening detects the country of each by its form, and the
 * digits of a RUT alone may be those of a NIT without its check digit, so the ids have their punctuation.
 */
export const screenedIds = (rows: readonly PastedRow[]): readonly string[] =>
  rows.flatMap(({ company, state }) => (company && (state === 'ready' || state === 'already') ? [company.formattedIdentifier] : []));

/** Watches the companies of rows. @throws QuipuError */
export const watchRows = (client: Client, rows: readonly PastedRow[]): Promise<void> =>
  watchCompanies(
    client,
    rows.flatMap(({ company }) => company ?? []),
  );

/** Watches companies: by the key's monitor of their country that has no webhook, or by a new one. @throws QuipuError */
export async function watchCompanies(client: Client, companies: readonly Pick<Company, 'country' | 'identifier'>[]): Promise<void> {
  const monitors = await readMonitors(client);
  for (const [country, those] of Map.groupBy(companies, (company) => company.country)) {
    const identifiers = those.map(({ identifier }) => identifier);
    const monitor = monitors.find((one) => one.country === country && one.webhookUrl === null);
    const room = monitor ? AT_ONCE - monitor.identifiers.length : 0;
    if (monitor && room > 0) requireNoError(await client.ask(WatchMore, { id: monitor.id, identifiers: identifiers.slice(0, room) }));
    for (let from = room; from < identifiers.length; from += AT_ONCE)
      requireNoError(await client.ask(Watch, { country, identifiers: identifiers.slice(from, from + AT_ONCE) }));
  }
}
