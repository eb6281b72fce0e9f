import type { PublicRecord } from '../api/operations.ts';

/** Writes the address of a registration in one line. */
export const addressText = (address: PublicRecord['address']): string =>
  [
    [address.street, address.number].filter(Boolean).join(' '),
    address.complement,
    address.district,
    address.municipality,
    address.region,
    address.postalCode,
    address.foreignCity,
    address.foreignCountry,
  ]
    .filter(Boolean)
    .join(', ');
