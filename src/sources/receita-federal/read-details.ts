import { strip } from '../../domain/tax-id.ts';
import { cnaeCode, filled, foreignCountry, plausibleDate } from './company.ts';
import type { ReceitaAddress, ReceitaDetails, ReceitaRegime, ReceitaTerm } from './details.ts';
import { ACTIVITIES, NATURES, nameOf } from './tables.ts';

type Text = string | null | undefined;
type NumberOrText = number | Text;

interface RegimeCells {
  readonly isMember: boolean | null | undefined;
  readonly since: Text;
  readonly until: Text;
}

/** The cells of a record that details are read from, as a mirror or a file prints them. A cell that it does not have is undefined. */
export interface DetailCells {
  readonly reasonCode?: NumberOrText;
  readonly reason?: Text;
  /** Name of the legal nature as printed. */
  readonly nature?: Text;
  /** Activities beside the main one. Null or undefined: the mirror has no such list. */
  readonly activities?: readonly { readonly codigo?: NumberOrText; readonly descricao?: Text }[] | null | undefined;
  readonly streetKind?: Text;
  readonly street?: Text;
  readonly number?: NumberOrText;
  readonly complement?: Text;
  readonly district?: Text;
  readonly postalCode?: NumberOrText;
  readonly foreignCity?: Text;
  readonly country?: Text;
  readonly simples?: RegimeCells;
  readonly mei?: RegimeCells;
  readonly federativeEntity?: Text;
  readonly specialSituationSince?: Text;
}

/** The company that the cells describe. */
interface Company {
  /** Code of the legal nature, four digits. */
  readonly nature: string | null;
  /** Result of `isPersonalNature`: the address of such a company is a private home, so street, number and complement are left out. */
  readonly isPersonal: boolean;
}

/** The registry accepts 99 activities beside the main one. */
const MAX_ACTIVITIES = 99;

/** Reads the details of a record. A cell that is missing, empty or impossible is null. */
export function detailsOf(cells: DetailCells, { nature, isPersonal }: Company): ReceitaDetails {
  return {
    reason: reasonOf(cells),
    natureName: nameOf(NATURES, nature, filled(cells.nature)),
    otherActivities: cells.activities?.slice(0, MAX_ACTIVITIES).flatMap(activityOf) ?? null,
    address: { ...(isPersonal ? NO_STREET : streetOf(cells)), ...placeOf(cells) },
    simples: regimeOf(cells.simples),
    mei: regimeOf(cells.mei),
    federativeEntity: filled(cells.federativeEntity),
    specialSituationSince: plausibleDate(cells.specialSituationSince),
  };
}

function reasonOf({ reasonCode, reason }: DetailCells): ReceitaTerm | null {
  const digits = String(reasonCode ?? '').trim();
  const code = /^\d{1,2}$/.test(digits) ? digits.padStart(2, '0') : null;
  const text = filled(reason);
  return code === '00' || (code === null && text === null) ? null : { code, text };
}

/** Loads of some mirrors print an activity without a code (0) for a company without other activities. */
function activityOf({ codigo, descricao }: { readonly codigo?: NumberOrText; readonly descricao?: Text }): ReceitaTerm[] {
  const code = cnaeCode(codigo);
  return code === null ? [] : [{ code, text: nameOf(ACTIVITIES, code, filled(descricao)) }];
}

const NO_STREET = { street: null, number: null, complement: null };

const streetOf = ({ streetKind, street, number, complement }: DetailCells) => ({
  street: filled([filled(streetKind), filled(street)].filter((part) => part !== null).join(' ')),
  number: filled(number === null || number === undefined ? null : String(number)),
  complement: filled(complement),
});

function placeOf(cells: DetailCells): Pick<ReceitaAddress, 'district' | 'postalCode' | 'foreignCity' | 'foreignCountry'> {
  return {
    district: filled(cells.district),
    postalCode: postalCodeOf(cells.postalCode),
    foreignCity: filled(cells.foreignCity),
    foreignCountry: foreignCountry(cells.country),
  };
}

/** Returns the postal code of eight digits. The lowest is 01000-000, so a number lost one left zero at most, and a shorter one is cut. */
function postalCodeOf(value: NumberOrText): string | null {
  const digits = strip(String(value ?? ''));
  return /^\d{7,8}$/.test(digits) && Number(digits) >= LOWEST_POSTAL_CODE ? digits.padStart(8, '0') : null;
}

const LOWEST_POSTAL_CODE = 1_000_000;

const regimeOf = (cells: RegimeCells | undefined): ReceitaRegime => ({
  isMember: cells?.isMember ?? null,
  since: plausibleDate(cells?.since),
  until: plausibleDate(cells?.until),
});
