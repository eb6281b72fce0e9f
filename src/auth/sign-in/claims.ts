import { maskCpfsInName } from '../../domain/personal-ids.ts';
import { includesRole, type Role } from '../../domain/roles.ts';
import { MAX_LENGTHS, storable } from '../../domain/text.ts';

/** Claims of an ID token or of the userinfo endpoint. They come from the issuer, so their types are not known. */
export type Claims = Readonly<Record<string, unknown>>;

/** Rules by which the role of a person follows from her claims. */
export interface RoleRules {
  /** Name of the claim, or the path to it with points. */
  readonly claim: string;
  /** Value of the claim → role. */
  readonly byValue: ReadonlyMap<string, Role>;
  /** Role of people without one of these values; null if they are refused. */
  readonly fallback: Role | null;
}

/** Maximum number of values of the role claim that are read. Directories send some hundreds of groups at most. */
const MAX_VALUES = 2_000;

/** Returns the highest role of a person; null for one who is refused. */
export function roleOf(claims: Claims, { claim, byValue, fallback }: RoleRules): Role | null {
  const roles = textsOf(claimOf(claims, claim))
    .map((value) => byValue.get(value))
    .filter((role) => role !== undefined);
  return roles.reduce<Role | null>((highest, role) => (highest !== null && includesRole(highest, role) ? highest : role), null) ?? fallback;
}

/** Returns a claim by its name, else by its path: names of claims may contain points, such as `https://example.com/roles`. */
export function claimOf(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  let value: unknown = claims;
  for (const part of name.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined;
    value = (value as Claims)[part];
  }
  return value;
}

function textsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return Array.isArray(value) ? value.slice(0, MAX_VALUES).filter((one) => typeof one === 'string') : [];
}

/** A person as decisions name her. */
export interface NamedPerson {
  readonly name: string;
  readonly email: string | null;
}

/** Names of claims, in the order in which a person is named by them. */
const NAME_CLAIMS = ['name', 'preferred_username', 'email'];

/** True if the claims name a person, so that the userinfo endpoint need not be called for that. */
export const hasName = (claims: Claims): boolean => textOf(claims.name) !== null;

/** Returns the name and the e-mail address of a person, without CPFs, which some issuers use as user names; null if no claim names her. */
export function nameOf(claims: Claims): NamedPerson | null {
  const name = NAME_CLAIMS.map((claim) => textOf(claims[claim])).find((text) => text !== null);
  return name === undefined ? null : { name, email: textOf(claims.email) };
}

function textOf(value: unknown): string | null {
  if (typeof value !== 'string') return null;
  const text = storable(maskCpfsInName(value.slice(0, 2 * MAX_LENGTHS.label)), MAX_LENGTHS.label)
    .replace(/\s+/g, ' ')
    .trim();
  return text === '' ? null : text;
}
