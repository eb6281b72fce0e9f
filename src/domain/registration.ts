export const REGISTRATION_STATUSES = ['active', 'inactive', 'not_found'] as const;
/** Status of a company at its tax registry. */
export type RegistrationStatus = (typeof REGISTRATION_STATUSES)[number];
