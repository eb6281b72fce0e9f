import type { Caller } from '../context.ts';
import { AppError } from '../domain/errors.ts';
import { includesRole, type Role } from '../domain/roles.ts';

/** @throws AppError ROLE_NOT_ALLOWED when the caller's key may not do what needs this role */
export function requireRole({ role }: Pick<Caller, 'role'>, needed: Role): void {
  if (!includesRole(role, needed))
    throw new AppError('ROLE_NOT_ALLOWED', `This API key has the role ${role}; this needs a key with the role ${needed}.`, {
      role: needed,
    });
}
