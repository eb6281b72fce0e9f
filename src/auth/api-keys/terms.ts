import { MODULES, type ModuleName } from '../../domain/catalogue.ts';
import { invalidInput } from '../../domain/errors.ts';
import { ROLES, type Role } from '../../domain/roles.ts';
import { isoOrNull } from '../../domain/time.ts';
import type { KeyTerms } from '../store/keys.ts';

const PLAN = /^[a-z][a-z0-9_-]{0,31}$/;

/**
 * Trims the texts of terms. A blank note becomes null, which removes it.
 * @throws AppError INVALID_INPUT for a blank name, no modules or an invalid plan name
 */
export function readTerms({ name, note, ...rest }: KeyTerms): KeyTerms {
  const { modules, plan } = rest;
  if (name?.trim() === '') throw invalidInput('name', 'A key needs a name, so that people can tell it from others.');
  if (modules?.length === 0) throw invalidInput('modules', 'A key needs at least one module.');
  if (plan !== undefined && !PLAN.test(plan))
    throw invalidInput('plan', `"${plan}" is not a valid name of a plan; an example is standard.`);
  return { ...rest, ...(name !== undefined && { name: name.trim() }), ...(note !== undefined && { note: note?.trim() || null }) };
}

/** Converts terms to facts of the audit log. Names and notes may contain personal data, so they are logged as `changed`. */
export const termFacts = ({ name, note, expiresAt, trustedOnly, failsIncomplete, ...rest }: KeyTerms) => ({
  ...rest,
  ...(trustedOnly !== undefined && { trusted_only: trustedOnly }),
  ...(failsIncomplete !== undefined && { fails_incomplete: failsIncomplete }),
  ...(expiresAt !== undefined && { expires_at: isoOrNull(expiresAt) }),
  ...(name !== undefined && { name: 'changed' }),
  ...(note !== undefined && { note: 'changed' }),
});

/** Parses the name of a role. @throws AppError INVALID_INPUT with the names of all roles */
export function readRole(text: string): Role {
  if (!Object.hasOwn(ROLES, text)) throw invalidInput('role', `There is no role "${text}". Give one of: ${Object.keys(ROLES).join(', ')}.`);
  return text as Role;
}

/** Parses `kyb,owners` or `all` to modules. @throws AppError INVALID_INPUT with the names of all modules */
export function readModules(text: string): readonly ModuleName[] {
  if (text.trim() === 'all') return MODULES;
  const names = [...new Set(text.split(',').map((name) => name.trim()))];
  return names.map((name) => {
    const found = MODULES.find((module) => module === name);
    if (!found) throw invalidInput('modules', `There is no module "${name}". Give all, or any of: ${MODULES.join(', ')}.`);
    return found;
  });
}
