import type { CompanyKey } from '../../../domain/company.ts';
import { invalidInput } from '../../../domain/errors.ts';
import { parseCursor, toCursor } from '../../../domain/paging.ts';
import { cnpjRoot } from '../../../domain/tax-id.ts';
import { isIsoDate } from '../../../domain/time.ts';
import { operationMessages } from '../../../messages/operations.ts';
import type { HoldingCursor } from './holdings.ts';

/** Encodes a position in the list of a company. */
export const toHoldingCursor = ({ taxId }: CompanyKey, position: HoldingCursor): string =>
  toListCursor('holding', cnpjRoot(taxId), position);

/** @throws AppError INVALID_INPUT for a text that is no cursor of the list of this company */
export const parseHoldingCursor = ({ taxId }: CompanyKey, cursor: string): HoldingCursor =>
  parseListCursor('holding', cnpjRoot(taxId), cursor);

/** Encodes a position in the other companies of an owner. @param ownerId public id of the owner */
export const toOtherCursor = (ownerId: string, position: HoldingCursor): string => toListCursor('other_company', ownerId, position);

/** @throws AppError INVALID_INPUT for a text that is no cursor of the list of this owner */
export const parseOtherCursor = (ownerId: string, cursor: string): HoldingCursor => parseListCursor('other_company', ownerId, cursor);

/** Encodes a position in a list. @param list identifies the list among those of its kind */
const toListCursor = (kind: string, list: string, { root, role, since }: HoldingCursor): string =>
  toCursor(kind, [list, root, role === null ? null : String(role), since]);

/** @throws AppError INVALID_INPUT for a text that is no cursor of this list */
function parseListCursor(kind: string, list: string, cursor: string): HoldingCursor {
  const [ofList, root, role = null, since = null] = parseCursor(kind, 4, cursor);
  const isValid =
    ofList === list && /^[\dA-Z]{8}$/.test(root ?? '') && /^\d{1,2}$/.test(role ?? '0') && (since === null || isIsoDate(since));
  if (!isValid || !root) throw invalidInput('after', operationMessages.notACursor());
  return { root, role: role === null ? null : Number(role), since };
}
