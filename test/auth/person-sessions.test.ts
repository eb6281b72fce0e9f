import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eraseAccount, exportAccount } from '../../src/auth/accounts/erasure.ts';
import { createKeys, type Keys } from '../../src/auth/api-keys/keys.ts';
import { endChosenSessions } from '../../src/auth/sign-in/ended-sessions.ts';
import { createPersonSessions } from '../../src/auth/sign-in/person-sessions.ts';
import { deleteEndedSessions } from '../../src/auth/store/person-sessions.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../src/domain/time.ts';
import { type TestDb, testDb } from '../support/db.ts';

const SECRET = 'a secret of the tests';
const ANA = { subject: 'person-1', name: 'Ana Pérez', email: 'ana@example.com', role: 'decide' } as const;

let db: TestDb;
let keys: Keys;
let passedMs = 0;
const now = () => Date.now() + passedMs;
const times = { maxAgeMs: 12 * HOUR_MS, idleMs: HOUR_MS };
beforeAll(async () => {
  db = await testDb();
  keys = createKeys({ db: db.knex, now, secret: SECRET });
});
afterAll(() => db.close());

async function sessionsOf(account: string) {
  const { id: keyId, accountId } = await keys.create({ name: account, modules: ['kyb'] });
  const parts = { db: db.knex, now, secret: SECRET, issuer: 'https://issuer.example', keyId, ...times };
  return { keyId, accountId, parts, sessions: createPersonSessions(parts) };
}

it('AK-08 a session that one process ends is over in another one within 5 s', async () => {
  const { parts, sessions } = await sessionsOf('two processes');
  const other = createPersonSessions(parts);
  const token = await sessions.create(ANA);
  expect(await other.find(token)).toMatchObject({ name: 'Ana Pérez', role: 'decide' });
  await sessions.end(token);
  expect(await sessions.find(token)).toBeNull();
  passedMs += 5 * SECOND_MS;
  expect(await other.find(token)).toBeNull();
});

it('a session is of one issuer, one key and one secret', async () => {
  const { parts, sessions } = await sessionsOf('one issuer');
  const { keyId } = await sessionsOf('another key');
  const token = await sessions.create(ANA);
  for (const changed of [{ issuer: 'https://another.example' }, { keyId }, { secret: 'another secret of the tests' }])
    expect(await createPersonSessions({ ...parts, ...changed }).find(token)).toBeNull();
  expect(await sessions.find(token)).not.toBeNull();
});

it('a use is stored at most once a minute, and a check of open sockets is no use', async () => {
  const { parts, sessions } = await sessionsOf('uses');
  const token = await sessions.create(ANA);
  const usedAt = async () =>
    (await db.knex('person_sessions').where({ key_id: parts.keyId }).first('last_used_at'))?.last_used_at.getTime();
  const [begin, { secretHash = '' } = {}] = [await usedAt(), (await sessions.find(token)) ?? {}];
  passedMs += 2 * MINUTE_MS;
  expect((await sessions.stillValid([secretHash])).size).toBe(1);
  expect(await usedAt()).toBe(begin);
  await sessions.find(token);
  const used = await usedAt();
  expect(used).toBeGreaterThan(begin);
  passedMs += 30 * SECOND_MS;
  await createPersonSessions(parts).find(token);
  expect(await usedAt()).toBe(used);
});

it('a person has one pseudonym, from which nobody can tell her identifier', async () => {
  const { parts, sessions } = await sessionsOf('pseudonyms');
  const ids: (string | undefined)[] = [];
  for (const person of [ANA, { ...ANA, name: 'Ana María Pérez' }, { ...ANA, subject: 'person-2' }])
    ids.push((await sessions.find(await sessions.create(person)))?.person?.id);
  expect(ids[1]).toBe(ids[0]);
  expect(ids[2]).not.toBe(ids[0]);
  const { rows } = await db.knex.raw('SELECT p::text AS text FROM person_sessions p WHERE key_id = ?', [parts.keyId]);
  expect(JSON.stringify(rows)).not.toContain('person-1');
});

it('the export of an account has the sessions of its people without hashes, and its erasure removes them with their log', async () => {
  const { accountId, keyId, sessions } = await sessionsOf('erased');
  await sessions.create(ANA);
  const { person_sessions } = await exportAccount(db.knex, accountId, []);
  expect(person_sessions).toMatchObject([{ name: 'Ana Pérez', email: 'ana@example.com' }]);
  expect(person_sessions?.[0]).not.toHaveProperty('hash');
  const logged = () => db.knex('audit_log').whereLike('action', 'person.%').whereRaw("facts ->> 'key' = ?", [keyId]);
  await endChosenSessions({ db: db.knex, now, actor: 'operator test' }, { email: ANA.email });
  await sessions.create(ANA);
  expect((await logged()).map(({ action }) => action).toSorted()).toEqual(['person.session_ended', 'person.signed_in', 'person.signed_in']);
  await keys.revoke(keyId);
  passedMs += 2 * MINUTE_MS;
  await eraseAccount({ db: db.knex, now, actor: 'operator test' }, accountId, []);
  expect(await db.knex('person_sessions').where({ key_id: keyId })).toEqual([]);
  expect(await logged()).toEqual([]);
});

it('sessions are deleted once their time has ended', async () => {
  const { keyId, sessions } = await sessionsOf('purged');
  await sessions.create(ANA);
  const left = async () => (await db.knex('person_sessions').where({ key_id: keyId })).length;
  await deleteEndedSessions(db.knex, now() + times.maxAgeMs - MINUTE_MS);
  expect(await left()).toBe(1);
  await deleteEndedSessions(db.knex, now() + times.maxAgeMs + MINUTE_MS);
  expect(await left()).toBe(0);
});

it('AK-08 in a flood an unknown session costs no statement, and a session that this process created is found', async () => {
  const { sessions } = await sessionsOf('flood');
  const known = await sessions.create(ANA);
  let statements = 0;
  db.knex.on('query', () => {
    statements += 1;
  });
  const find = (token: string) => sessions.find(token, { isFlood: true });
  const unknown = Array.from({ length: 200 }, () => randomBytes(32).toString('base64url'));
  expect((await Promise.all(unknown.map(find))).filter((caller) => caller !== null)).toEqual([]);
  expect(statements).toBe(1); // it reads the stored hashes once
  const later = await sessions.create(ANA);
  for (const token of [known, later]) expect(await find(token)).toMatchObject({ name: 'Ana Pérez' });
});
