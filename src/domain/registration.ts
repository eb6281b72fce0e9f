/** Standing of a company at its tax registry. */
export type RegistrationStatus = 'active' | 'inactive' | 'not_found';
