import { DAY_MS, isoDate } from '../../../src/domain/time.ts';
import { companyByScenario } from '../../world/brazil/world.ts';
import { startOfDay } from '../../world/calendar.ts';
import { fileReply, type Simulator } from '../simulator.ts';

/** A firm or person of the fictional list. `ends`: ISO date. */
export interface Supplier {
  readonly id: number;
  readonly name: string;
  readonly type: 'F' | 'I';
  readonly country: readonly [code: string, name: string];
  readonly ends: string;
  readonly reason: string;
  readonly status: string;
}

const BRAZIL = ['BR', 'Brazil'] as const;
const GUIDELINES = 'Procurement Guidelines, 1.16(a)(ii)';
/** The end of a debarment without an end. */
const NEVER = '2999-12-31';

export const firm = (id: number, name: string, country: Supplier['country'], ends: string, rest: Partial<Supplier> = {}): Supplier => ({
  id,
  name,
  type: 'F',
  country,
  ends,
  reason: GUIDELINES,
  status: '',
  ...rest,
});

/** The fictional list on a day: a current debarment by name, one that ended the day before, and the forms of the real list. */
export const suppliersOn = (now: number): readonly Supplier[] => [
  firm(970_001, companyByScenario('clean-builder').name, BRAZIL, isoDate(now + 365 * DAY_MS)),
  firm(970_002, companyByScenario('clean-sa-open').name, BRAZIL, isoDate(now - DAY_MS)),
  firm(970_003, `${companyByScenario('clean-small').name} (formerly TRES SORRISOS ODONTOLOGIA LTDA)*12`, BRAZIL, isoDate(now - DAY_MS), {
    status: 'Ongoing',
  }),
  firm(970_004, 'SUMINISTROS DE PAPEL SPA a.k.a. PAPEL SUMINISTROS CHILE', ['CL', 'Chile'], NEVER, { status: 'Permanent' }),
  firm(970_005, 'OBRAS DE NADA S.A.', ['PE', 'Peru'], isoDate(now + 30 * DAY_MS), { reason: 'Cross-Debarment: IDB' }),
  firm(970_010, 'MR. FULANO DE TAL', ['CO', 'Colombia'], NEVER, { type: 'I', status: 'Permanent' }),
];

const record = ({ id, name, type, country: [code, country], ends, reason, status }: Supplier, refreshed: string): string =>
  JSON.stringify({
    MANDT: '300',
    SUPP_ID: String(id),
    SUPP_NAME: name,
    SUPP_TYPE_CODE: type,
    SUPP_PRE_ACRN: '',
    SUPP_POST_ACRN: '',
    LAND1: code,
    COUNTRY_NAME: country,
    SUPP_STATE_CODE: null,
    SUPP_CITY: null,
    SUPP_ADDR: 'Calle de los Ejemplos 2',
    SUPP_ZIP_CODE: null,
    DEBAR_FROM_DATE: '2022-01-10',
    DEBAR_TO_DATE: ends,
    DEBAR_REASON: reason,
    ADD_SUPP_INFO: null,
    INELIGIBLY_STATUS: status,
    LAST_REFRESH_DATE: refreshed,
  });

const json = (records: readonly string[]): string => `{"response":{"ZPROCSUPP":[${records.join(',')}]}}`;

/** Writes the list of these parties. @param on ISO date */
export const worldBankFile = (suppliers: readonly Supplier[], on: string): string =>
  json(suppliers.map((supplier) => record(supplier, on)));

/** The API of the World Bank: `GET /SANCTIONED_FIRM`, 401 without the header `apikey`. */
export const worldBankSimulator: Simulator = {
  name: 'WORLD_BANK_DEBARRED',
  handle({ path, headers, now }) {
    if (path !== '/SANCTIONED_FIRM') return { status: 404, body: '' };
    if (!headers.apikey) return { status: 401, headers: { 'content-type': 'application/json' }, body: '{"message":"Invalid client id"}' };
    const day = startOfDay(now);
    return fileReply(
      'application/json',
      {
        format: 'json',
        rows: suppliersOn(day).map((supplier) => record(supplier, isoDate(day))),
        frame: json,
        renameRequired: (text) => text.replaceAll('"SUPP_NAME"', '"NAME"'),
        charset: 'utf-8',
      },
      day,
    );
  },
};
