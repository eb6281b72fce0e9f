import type { KeyRecord } from '../auth/store/keys.ts';
import { isoOrNull } from '../domain/time.ts';
import { tableText } from './run.ts';

/** Returns a key as JSON for programs. */
export const keyJson = (record: KeyRecord) => ({
  id: record.id,
  account: record.account,
  name: record.name,
  note: record.note,
  last_four: record.lastFour,
  modules: record.modules,
  role: record.role,
  plan: record.plan,
  documents: documentsOf(record),
  incomplete: incompleteOf(record),
  created_at: isoOrNull(record.createdAt),
  expires_at: isoOrNull(record.expiresAt),
  revoked_at: isoOrNull(record.revokedAt),
  last_used_at: isoOrNull(record.lastUsedAt),
});

export const secretsJson = ({ secrets }: KeyRecord) =>
  secrets.map(({ lastFour, createdAt, expiresAt }) => ({
    last_four: lastFour,
    created_at: isoOrNull(createdAt),
    expires_at: isoOrNull(expiresAt),
  }));

/** Returns a sentence on an action and the state of the key after it. */
export const keySentence = (did: string, { id, name, modules, expiresAt }: KeyRecord): string =>
  `${did} key ${id} (${name}): ${modules.join(', ')}; expires ${isoOrNull(expiresAt) ?? 'never'}.`;

export const keysTable = (records: readonly KeyRecord[]): string =>
  records.length === 0
    ? 'There are no keys yet.\n'
    : tableText(
        ['id', 'key', 'name', 'state', 'modules', 'plan', 'last use'],
        records.map((record) => [
          record.id,
          `…${record.lastFour}`,
          record.name,
          stateOf(record),
          record.modules.join(','),
          record.plan,
          lastUse(record),
        ]),
      );

/** Returns all properties of a key, one per line. */
export const keyDetails = (record: KeyRecord): string =>
  tableText(null, [
    ['id', record.id],
    ['account', record.account],
    ['name', record.name],
    ['note', record.note ?? ''],
    ['modules', record.modules.join(',')],
    ['role', record.role],
    ['plan', record.plan],
    ['documents', documentsOf(record)],
    ['incomplete', incompleteOf(record)],
    ['state', stateOf(record)],
    ['created', isoOrNull(record.createdAt) ?? ''],
    ['last use', lastUse(record)],
    ...record.secrets.map(({ lastFour, createdAt, expiresAt }) => [
      'secret',
      `…${lastFour} of ${isoOrNull(createdAt)}${expiresAt === null ? '' : `, until ${isoOrNull(expiresAt)}`}`,
    ]),
  ]);

const documentsOf = ({ trustedOnly }: KeyRecord): string => (trustedOnly ? 'trusted' : 'any');

const incompleteOf = ({ failsIncomplete }: KeyRecord): string => (failsIncomplete ? 'error' : 'answer');

const stateOf = ({ revokedAt, expiresAt }: KeyRecord): string =>
  revokedAt === null ? `expires ${isoOrNull(expiresAt) ?? 'never'}` : `revoked ${isoOrNull(revokedAt)}`;

const lastUse = ({ lastUsedAt }: KeyRecord): string => (lastUsedAt === null ? 'never used' : `used ${isoOrNull(lastUsedAt)}`);
