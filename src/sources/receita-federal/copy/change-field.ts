import type { GAP } from '../../copies/store/comparisons.ts';

/** Fields of the legal person. */
const COMPANY_FIELDS = ['name', 'size', 'capital', 'nature'] as const;
/** Fields of one establishment. */
const ESTABLISHMENT_FIELDS = ['status', 'activity', 'address', 'special_situation'] as const;
/** Fields of the partners of the legal person. */
export const PARTNER_FIELDS = ['partner_joined', 'partner_left'] as const;
/** Establishments that the legal person opened or closed. */
export const BRANCH_FIELDS = ['branch_opened', 'branch_closed'] as const;
/** The legal person as a whole: the first extract with it, and the first one without it. */
const EXISTENCE_FIELDS = ['registered', 'removed'] as const;

/** Fields of which differences between two extracts are reported. */
export const REGISTRY_FIELDS = [
  ...COMPANY_FIELDS,
  ...ESTABLISHMENT_FIELDS,
  ...PARTNER_FIELDS,
  ...BRANCH_FIELDS,
  ...EXISTENCE_FIELDS,
] as const;
export type RegistryField = (typeof REGISTRY_FIELDS)[number];

export type ChangeField = RegistryField | typeof GAP;
