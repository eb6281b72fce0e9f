import { z } from 'zod';
import { DAY_MS, HOUR_MS } from '../../../domain/time.ts';
import { ColumnErrors } from '../../../sources/registry/csv-table.ts';
import { defineRegistry } from '../../../sources/registry/define-registry.ts';
import { jsonItems, OBJECTS } from '../../../sources/registry/json-items.ts';
import { type ListFile, ListFileError } from '../../../sources/registry/list-file.ts';
import type { ListEntry, ListSummary, RegistrySpec } from '../../../sources/registry/registry.ts';
import { type SanctionsEntry, toEntry, Uids } from './entry.ts';
import { listDate } from './list-dates.ts';
import { namesIn } from './names-in-one.ts';
import { addressLine, detailsOf, NO_DETAILS } from './party-details.ts';

const KINDS: Readonly<Record<string, SanctionsEntry['kind']>> = { F: 'entity', I: 'individual' };

/** A value as text without the blanks around it; empty for null. */
const text = z
  .union([z.string(), z.number()])
  .nullable()
  .transform((value) => String(value ?? '').trim());

/** The keys that every record has; others come and go. The address is read where it is. */
const supplier = z.object({
  SUPP_ID: text,
  SUPP_NAME: text,
  SUPP_TYPE_CODE: text,
  COUNTRY_NAME: text,
  DEBAR_FROM_DATE: text,
  DEBAR_TO_DATE: text,
  DEBAR_REASON: text,
  INELIGIBLY_STATUS: text, // the publisher's spelling
  LAST_REFRESH_DATE: text,
  SUPP_ADDR: text.optional(),
  SUPP_CITY: text.optional(),
});
const FRAME = z.object({ response: z.object({ ZPROCSUPP: OBJECTS }) }).transform(({ response }) => response.ZPROCSUPP);
type Supplier = z.output<typeof supplier>;

/** The list has up to 3,000 records. */
const LIMIT = 10_000;

/** The end of a debarment without an end. */
const NEVER = '2999-12-31';

/**
 * Statuses of a debarment without a known end. An ongoing one goes on after its date, until the party meets conditions: the date is the
 * earliest possible end.
 */
const WITHOUT_END: readonly string[] = ['ongoing', 'permanent'];

/** Maximum share of dates that cannot be read. */
const MAX_UNREAD_DATES = 0.01;

/**
 * Reads the answer of the publisher's API: `{response: {ZPROCSUPP: [...]}}`. Ended debarments are read, too; a search leaves them out.
 * @throws ListFileError for another document, a record without one of the needed keys, and for more than 1 % of unreadable dates
 */
async function* read(file: ListFile): AsyncGenerator<ListEntry<SanctionsEntry>, ListSummary, void> {
  const dates = new ColumnErrors('DEBAR_FROM_DATE and DEBAR_TO_DATE', MAX_UNREAD_DATES);
  const uids = new Uids();
  let publishedOn: string | null = null;
  let rowsRead = 0;
  for await (const one of jsonItems(file, { depth: 2, item: supplier, limit: LIMIT, frame: FRAME })) {
    const refreshed = listDate(one.LAST_REFRESH_DATE);
    if (refreshed !== null && (publishedOn === null || refreshed > publishedOn)) publishedOn = refreshed;
    rowsRead += 1;
    uids.add(one.SUPP_ID);
    yield toParty(one, dates);
  }
  dates.assertFew();
  return { publishedOn, rowsRead, rowsSkipped: 0 };
}

function toParty(one: Supplier, dates: ColumnErrors): ListEntry<SanctionsEntry> {
  const kind = KINDS[one.SUPP_TYPE_CODE];
  const { name, aliases } = namesIn(one.SUPP_NAME);
  if (!one.SUPP_ID || !name || !kind) throw new ListFileError('a record has no SUPP_ID, no name or an unknown type');
  const status = one.INELIGIBLY_STATUS;
  const endsOn = dateOf(one.DEBAR_TO_DATE, dates);
  return toEntry(
    {
      uid: one.SUPP_ID,
      kind,
      name,
      aliases,
      programs: one.DEBAR_REASON ? [one.DEBAR_REASON] : [],
      countries: one.COUNTRY_NAME ? [one.COUNTRY_NAME] : [],
      nationalities: [],
      datesOfBirth: [],
      reference: null,
      effect: 'debarred',
      measures: status ? [status] : [],
      startsOn: dateOf(one.DEBAR_FROM_DATE, dates),
      ...detailsOf(kind, { ...NO_DETAILS, addresses: [addressLine([one.SUPP_ADDR, one.SUPP_CITY], one.COUNTRY_NAME)] }),
      endsOn: endsOn === NEVER || WITHOUT_END.includes(status.toLowerCase()) ? null : endsOn,
    },
    [],
  );
}

function dateOf(text: string, dates: ColumnErrors): string | null {
  const date = listDate(text);
  dates.add(date !== null || text === '');
  return date;
}

export const worldBankSpec: RegistrySpec<SanctionsEntry> = {
  name: 'WORLD_BANK_DEBARRED',
  attribution: 'The World Bank: list of ineligible firms and individuals. The terms of use of the World Bank apply.',
  setting: 'QUIPU_WORLD_BANK_URL',
  address: {
    live: 'https://apigwext.worldbank.org/dvsvc/v1.0/json/APPLICATION/ADOBE_EXPRNCE_MGR/FIRM/SANCTIONED_FIRM',
    sandbox: '/world_bank_debarred/SANCTIONED_FIRM',
    description: "World Bank: firms and individuals that are ineligible for its contracts, the json of the publisher's API.",
    optional: true,
  },
  credential: {
    header: 'apikey',
    setting: 'QUIPU_WORLD_BANK_API_KEY',
    spec: {
      description:
        "Key of the World Bank's API, which the script of its page of debarred firms contains. Without it the list is not loaded.",
      fallback: '',
      sandbox: 'sandbox',
      pattern: /^[\w-]{0,200}$/,
      expected: 'expected letters, digits, - and _',
      credential: {
        requestedAt: 'https://projects.worldbank.org/en/projects-operations/procurement/debarred-firms',
        without: 'The list of the World Bank is not loaded.',
        isNeeded: false,
        address: 'QUIPU_WORLD_BANK_URL',
      },
    },
  },
  schemaVersion: 3,
  guard: { minRows: 1_000, maxRows: 3_000, maxShrink: 0.1, maxGrowth: 0.5 },
  everyMs: 6 * HOUR_MS,
  staleAfterMs: 3 * DAY_MS,
  read,
};

export const worldBank = defineRegistry(worldBankSpec);
