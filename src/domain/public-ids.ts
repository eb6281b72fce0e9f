/**
 * Prefixes of public ids. An id consists of a prefix for the kind and the digits of a UUID, and is the same in REST, GraphQL, webhooks and
 * logs.
 */
const KINDS = {
  monitor: 'mon',
  change: 'evt',
  observation: 'obs',
  delivery: 'dlv',
  dismissal: 'dsm',
  confirmation: 'cfm',
  screening: 'scr',
  evidence: 'evd',
  note: 'nte',
  mailSubscription: 'mls',
} as const;
export type IdKind = keyof typeof KINDS;

/** Converts a UUID to a public id, e.g. `evt_0192f5a27c3d4e5f8a9b0c1d2e3f4a5b`. */
export const toPublicId = (kind: IdKind, uuid: string): string => `${KINDS[kind]}_${uuid.replaceAll('-', '')}`;

/** Converts a public id to a UUID; null for a text that is not an id of this kind. */
export function fromPublicId(kind: IdKind, id: string): string | null {
  const parts = /^([a-z]{3})_([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/.exec(id);
  return parts?.[1] === KINDS[kind] ? parts.slice(2).join('-') : null;
}
