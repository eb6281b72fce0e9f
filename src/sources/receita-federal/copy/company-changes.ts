import { cnpjCheckDigits } from '../../../domain/check-digits.ts';
import { porteOf, REGISTRATIONS, type ReceitaPartner, placeOf as readPlace } from '../company.ts';
import { ACTIVITIES, NATURES, nameOf } from '../tables.ts';
import { PARTNER_FIELDS, type RegistryField } from './change-field.ts';
import { toPartner, withoutRoot } from './record.ts';
import type { ChangedPartner, StoredChange } from './store/find-changes.ts';
import { personalName } from './values.ts';

/** A difference of a company between two extracts of the registry. Dates are ISO. */
export interface RegistryChange {
  /** Order of the changes, oldest first; unique. */
  readonly seq: number;
  readonly field: RegistryField;
  /** Value in the registry's words, a decimal for the capital, and `CAMPINAS/SP` for an address; null for none. */
  readonly before: string | null;
  readonly after: string | null;
  /** Code of the value, with its left zeros; null for a value without a code. */
  readonly beforeCode: string | null;
  readonly afterCode: string | null;
  /** CNPJ of the establishment; null for a field of the legal person. */
  readonly establishment: string | null;
  /** The partner that joined or left; null for the other fields. */
  readonly partner: ReceitaPartner | null;
  readonly extractFrom: string;
  readonly extractTo: string;
}

/** Converts a stored change. Any CPF in a name is masked once more. @param field of the change, which is not a gap */
export function toRegistryChange(root: string, change: StoredChange & { readonly field: RegistryField }): RegistryChange {
  const { seq, field, branch, before, after, extractFrom, extractTo } = change;
  return {
    seq,
    field,
    ...sideOf('before', field, before, change.beforePlace),
    ...sideOf('after', field, after, change.afterPlace),
    establishment: branch === null ? null : `${root}${branch}${cnpjCheckDigits(root + branch)}`,
    partner: PARTNER_FIELDS.some((one) => one === field) ? partnerOf(change) : null,
    extractFrom,
    extractTo,
  } as RegistryChange;
}

/** Returns the partner of a change. @param change of a partner */
function partnerOf({ details, country, partnerCnpj }: Pick<StoredChange, 'details' | 'country' | 'partnerCnpj'>): ReceitaPartner {
  const partner = details as ChangedPartner;
  const document = partnerCnpj ?? partner.document;
  return withoutRoot(
    toPartner({
      ...partner,
      document,
      roleName: null,
      country,
      representativeRole: partner.representative_role,
      representativeRoleName: null,
    }),
  );
}

function sideOf(side: 'before' | 'after', field: RegistryField, value: string | null, place: string | null) {
  const { text, code } = value === null ? NONE : readValue(field, value, place);
  return { [side]: text, [`${side}Code`]: code };
}

interface Value {
  readonly text: string | null;
  readonly code: string | null;
}

const NONE: Value = { text: null, code: null };

const padded = (code: string, digits: number): string => code.padStart(digits, '0');

/** Reads a stored value by its field. */
function readValue(field: RegistryField, value: string, municipality: string | null): Value {
  switch (field) {
    case 'size':
      return { text: porteOf(value), code: padded(value, 2) };
    case 'nature':
      return { text: nameOf(NATURES, padded(value, 4), null), code: padded(value, 4) };
    case 'activity':
      return { text: nameOf(ACTIVITIES, padded(value, 7), null), code: padded(value, 7) };
    case 'capital':
      return { text: String(Number(value) / 100), code: null };
    case 'address':
      return addressOf(value, municipality);
    case 'status':
    case 'branch_opened':
    case 'branch_closed':
      return { text: REGISTRATIONS[Number(value) as keyof typeof REGISTRATIONS], code: padded(value, 2) };
    default:
      return { text: personalName(value), code: null };
  }
}

/** Reads `SP/7107`. Abroad there is neither a state nor a municipality. */
function addressOf(value: string, name: string | null): Value {
  const [uf = '', code = ''] = value.split('/');
  const { state, municipality } = readPlace(uf, name);
  return { text: [municipality, state].filter((part) => part !== null).join('/') || null, code: code === '' ? null : padded(code, 4) };
}
