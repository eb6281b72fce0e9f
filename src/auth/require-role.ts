import type { Caller } from '../context.ts';
import { AppError } from '../domain/errors.ts';
import { includesRole, type Role } from '../domain/roles.ts';
import { requestMessages } from '../messages/requests.ts';

/** @throws AppError ROLE_NOT_ALLOWED when the caller's key may not do what needs this role */
export function requireRole({ role }: Pick<Caller, 'role'>, needed: Role): void {
  if (!includesRole(role, needed))
    throw new AppError('ROLE_NOT_ALLOWED', requestMessages.roleNotAllowed({ role, needed }), { role: needed });
}
