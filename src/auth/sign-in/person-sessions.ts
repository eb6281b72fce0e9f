import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { audit } from '../../audit/audit-log.ts';
import { StaleIfErrorCache } from '../../cache/stale-if-error-cache.ts';
import type { Caller } from '../../context.ts';
import { BRIDGED_MS, staleAge } from '../../db/unavailable.ts';
import { includesRole, type Role } from '../../domain/roles.ts';
import { type Clock, MINUTE_MS, SECOND_MS } from '../../domain/time.ts';
import { type FindOptions, type KnownCaller, knownOf } from '../api-keys/lookup.ts';
import {
  deletePersonSession,
  findPersonSessions,
  insertPersonSession,
  isKeyValid,
  type PersonSessionRow,
  touchPersonSession,
} from '../store/person-sessions.ts';
import { createStoredHashes } from '../stored-hashes.ts';
import type { NamedPerson } from './claims.ts';
import { SignInFailure } from './failure.ts';

export interface PersonSessionsDeps {
  readonly db: Knex;
  readonly now: Clock;
  /** HMAC key of the stored hashes. */
  readonly secret: string;
  readonly issuer: string;
  /** Id of the key through which people act. */
  readonly keyId: string;
  readonly maxAgeMs: number;
  readonly idleMs: number;
}

/** A person whom the issuer has identified. */
export interface SignedInPerson extends NamedPerson {
  /** Identifier of the person at the issuer (`sub`). Only its keyed hash is stored. */
  readonly subject: string;
  readonly role: Role;
}

/** Sessions of people. A change takes effect in this process at once and in all others within 5 s. */
export interface PersonSessions {
  /** Creates a session and returns its token, which is not stored. @throws SignInFailure KEY_NOT_VALID when the key is not valid */
  create(person: SignedInPerson): Promise<string>;
  /** Finds the caller of a token, and records its use; null for a malformed, unknown or ended one, and for a key that is not valid. */
  find(token: string, options?: FindOptions): Promise<Caller | null>;
  /** Returns the callers of hashes (`Caller.secretHash`), without ended sessions, by one statement that is never cached. It is no use. */
  stillValid(hashes: readonly string[]): Promise<ReadonlyMap<string, Caller>>;
  /** Ends a session. It is idempotent. */
  end(token: string): Promise<void>;
}

const TOKEN_BYTES = 32;
const TOKEN = /^[\w-]{43}$/;
/** Age up to which a cached session is used. It is below the 5 s within which an end must take effect. */
const TTL_MS = 4 * SECOND_MS;
const MAX_STALE_AGE_MS = 5 * SECOND_MS;
const MAX_ENTRIES = 5_000;
const HASH_ENCODING = 'base64';
/** Maximum number of sessions of a person: browsers and devices. One more ends the oldest one. */
const MAX_SESSIONS = 20;

/** Creates the sessions. They are read and cached like API keys (`createKeyLookup`). */
export function createPersonSessions({ db, now, secret, issuer, keyId, maxAgeMs, idleMs }: PersonSessionsDeps): PersonSessions {
  const ages = { ttlMs: TTL_MS, maxStaleAgeMs: staleAge(MAX_STALE_AGE_MS, BRIDGED_MS), now };
  const cache = new StaleIfErrorCache<KnownCaller | null>({ max: MAX_ENTRIES, ...ages });
  const stored = createStoredHashes({ db, table: 'person_sessions', ...ages });
  const hmac = (kind: string, ...texts: readonly string[]): Buffer =>
    createHmac('sha256', secret)
      .update([kind, ...texts].join('\0'))
      .digest();
  const hashOf = (token: string): Buffer => hmac('person session', token);

  const toKnown = (row: PersonSessionRow): KnownCaller | null => {
    const known = knownOf(row);
    if (!known) return null;
    const { caller } = known;
    return {
      caller: {
        ...caller,
        name: row.person_name,
        role: includesRole(caller.role, row.person_role) ? row.person_role : caller.role,
        person: { id: row.person_id, name: row.person_name, email: row.email, keyName: caller.name },
      },
      endsAt: Math.min(known.endsAt, row.last_used_at.getTime() + idleMs),
    };
  };

  const ifValid = (known: KnownCaller | null): Caller | null => (known && now() < known.endsAt ? known.caller : null);

  const read = async (hashes: readonly Buffer[]): Promise<readonly PersonSessionRow[]> => findPersonSessions(db, hashes, { issuer, keyId });

  /** Reads a session and records its use, at most once a minute. */
  async function use(hash: Buffer): Promise<KnownCaller | null> {
    const [row] = await read([hash]);
    const known = row ? toKnown(row) : null;
    if (!row || !known || !ifValid(known) || now() - row.last_used_at.getTime() < MINUTE_MS) return known;
    await touchPersonSession(db, row.session_id, now());
    return toKnown({ ...row, last_used_at: new Date(now()) });
  }

  return {
    async create({ subject, name, email, role }) {
      const token = randomBytes(TOKEN_BYTES).toString('base64url');
      const personId = hmac('person', issuer, subject).subarray(0, 16).toString('hex');
      const [id, createdAt] = [randomUUID(), now()];
      const session = { id, hash: hashOf(token), keyId, issuer, personId, name, email, role, createdAt, endsAt: createdAt + maxAgeMs };
      await db.transaction(async (trx) => {
        if (!(await isKeyValid(trx, keyId, createdAt)))
          throw new SignInFailure('KEY_NOT_VALID', 'the key of QUIPU_OIDC_KEY is unknown, revoked or expired');
        await insertPersonSession(trx, session, MAX_SESSIONS);
        const facts = { key: keyId, person: personId, role };
        await audit(trx, { at: createdAt, actor: `person ${personId}`, action: 'person.signed_in', subject: id, facts });
      });
      stored.clear();
      return token;
    },

    async find(token, { isFlood = false } = {}) {
      if (!TOKEN.test(token)) return null;
      const hash = hashOf(token);
      const entry = hash.toString(HASH_ENCODING);
      if (isFlood && !cache.has(entry) && !cache.last(entry) && !(await stored.mayHave(hash))) return null;
      return ifValid(await cache.get(entry, () => use(hash)));
    },

    async stillValid(hashes) {
      const rows = await read(hashes.map((hash) => Buffer.from(hash, HASH_ENCODING)));
      const callers = rows.map((row) => ifValid(toKnown(row))).filter((caller) => caller !== null);
      return new Map(callers.map((caller) => [caller.secretHash, caller]));
    },

    async end(token) {
      if (!TOKEN.test(token)) return;
      await db.transaction(async (trx) => {
        const ended = await deletePersonSession(trx, hashOf(token));
        if (!ended) return;
        const facts = { key: ended.keyId, person: ended.personId };
        await audit(trx, { at: now(), actor: `person ${ended.personId}`, action: 'person.signed_out', subject: ended.id, facts });
      });
      cache.clear();
    },
  };
}
