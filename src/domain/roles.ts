/** Roles of API keys, with descriptions. Each role includes those before it. */
export const ROLES = {
  read: 'It checks companies and reads decisions, monitors and screenings. It changes nothing.',
  decide: 'It also decides about candidates, watches and tags companies, writes notes and starts screenings.',
  administer: 'It also sets webhooks, tests them and sends them again, replaces their secrets, and says who receives the daily mail.',
} as const;
export type Role = keyof typeof ROLES;

const ORDER = Object.keys(ROLES) as Role[];

/** True if a key with a role may do what needs another one. */
export const includesRole = (role: Role, needed: Role): boolean => ORDER.indexOf(role) >= ORDER.indexOf(needed);

/** The role that a change needs; a function where it depends on the input. */
export type RoleRule = Role | ((input: Readonly<Record<string, unknown>>) => Role);

/** Returns the role that a change with this input needs. */
export const roleFor = (rule: RoleRule, input: unknown): Role =>
  typeof rule === 'function' ? rule((input ?? {}) as Readonly<Record<string, unknown>>) : rule;

/** Creates the rule of a change that sets a webhook if its input has one. @param field name of the URL in the input */
export const unlessWebhook =
  (field: string): RoleRule =>
  (input) =>
    input[field] == null ? 'decide' : 'administer';

/** Creates the rule of a change that sets, removes or reformats a webhook if its input has one of the fields. */
export const unlessWebhookChanges =
  (...fields: readonly string[]): RoleRule =>
  (input) =>
    fields.every((field) => input[field] === undefined) ? 'decide' : 'administer';
