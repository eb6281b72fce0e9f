import { invalidInput } from '../domain/errors.ts';
import { MODULES, type ModuleName } from '../domain/modules.ts';
import { isoWithOffset } from '../domain/time.ts';

/** What may be set on a key. `expiresAt` is epoch ms; null is never, or none. */
export interface KeyTerms {
  readonly name?: string;
  readonly modules?: readonly ModuleName[];
  readonly expiresAt?: number | null;
  /** For the operator's own eyes. */
  readonly note?: string | null;
  /** Name of the plan whose limits and prices hold. */
  readonly plan?: string;
  /** True: it runs trusted GraphQL documents alone. */
  readonly trustedOnly?: boolean;
}

const PLAN = /^[a-z][a-z0-9_-]{0,31}$/;

/** Terms → columns; only what is given changes. @throws AppError INVALID_INPUT for a blank name, no modules, or what is no name of a plan */
export function termColumns({ name, modules, expiresAt, note, plan, trustedOnly }: KeyTerms) {
  if (name?.trim() === '') throw invalidInput('name', 'A key needs a name, so that people can tell it from others.');
  if (modules?.length === 0) throw invalidInput('modules', 'A key needs at least one module.');
  if (plan !== undefined && !PLAN.test(plan)) throw invalidInput('plan', `"${plan}" is no name of a plan, such as standard.`);
  return {
    ...(name !== undefined && { name: name.trim() }),
    ...(modules && { modules: [...modules] }),
    ...(expiresAt !== undefined && { expires_at: expiresAt === null ? null : new Date(expiresAt) }),
    ...(note !== undefined && { note: note?.trim() || null }),
    ...(plan !== undefined && { plan }),
    ...(trustedOnly !== undefined && { trusted_only: trustedOnly }),
  };
}

/** Terms as the audit log keeps them: names and notes may be a person's, so it says only that they changed. */
export const termFacts = ({ name, note, expiresAt, trustedOnly, ...rest }: KeyTerms) => ({
  ...rest,
  ...(trustedOnly !== undefined && { trusted_only: trustedOnly }),
  ...(expiresAt !== undefined && { expires_at: expiresAt === null ? null : isoWithOffset(expiresAt) }),
  ...(name !== undefined && { name: 'changed' }),
  ...(note !== undefined && { note: 'changed' }),
});

/** `kyb,owners` or `all` → modules. @throws AppError INVALID_INPUT, naming the ones there are */
export function readModules(text: string): readonly ModuleName[] {
  if (text.trim() === 'all') return MODULES;
  const names = [...new Set(text.split(',').map((name) => name.trim()))];
  return names.map((name) => {
    const found = MODULES.find((module) => module === name);
    if (!found) throw invalidInput('modules', `There is no module "${name}". Give all, or any of: ${MODULES.join(', ')}.`);
    return found;
  });
}
