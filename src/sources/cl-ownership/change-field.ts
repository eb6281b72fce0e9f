/** Fields of one owner of a company: a company, or all natural persons together. */
export const OWNER_FIELDS = ['partner_joined', 'partner_left', 'partner_share'] as const;

/** The company as a whole: the first file with its owners, and the first one without them. */
const EXISTENCE_FIELDS = ['registered', 'removed'] as const;

/** Fields of which differences between two files are reported. */
export const OWNERSHIP_FIELDS = [...OWNER_FIELDS, ...EXISTENCE_FIELDS] as const;
export type OwnershipField = (typeof OWNERSHIP_FIELDS)[number];

/** Marks an owner of a company that left the file. The earlier composition is known by it. It is reported as `removed`, once for all owners. */
export const WITHDRAWN = 'withdrawn';

/** Value of the column `partner` for all natural persons together, who have no RUT. */
export const PEOPLE = 0;
