import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createKeys } from '../../src/auth/api-keys/keys.ts';
import { createPersonSessions, type PersonSessions } from '../../src/auth/sign-in/person-sessions.ts';
import { auditCommand } from '../../src/cli/audit.ts';
import { sessionsCommand } from '../../src/cli/sessions.ts';
import { HOUR_MS, SECOND_MS } from '../../src/domain/time.ts';
import { runCommand, SECRET } from '../support/command.ts';
import { type TestDb, testDb } from '../support/db.ts';

const ANA = { subject: 'person-1', name: 'Ana Pérez', email: 'Ana@example.com', role: 'decide' } as const;
const BRUNO = { subject: 'person-2', name: 'Bruno Souza', email: null, role: 'read' } as const;
const ISO = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\+00:00$/;

let database: TestDb;
let keyId: string;
let passedMs = 0;
let server: PersonSessions;
beforeAll(async () => {
  database = await testDb();
  const now = () => Date.now() + passedMs;
  ({ id: keyId } = await createKeys({ db: database.knex, now, secret: SECRET }).create({ name: 'people', modules: ['kyb'] }));
  const times = { maxAgeMs: 12 * HOUR_MS, idleMs: HOUR_MS };
  server = createPersonSessions({ db: database.knex, now, secret: SECRET, issuer: 'https://issuer.example', keyId, ...times });
});
afterAll(() => database.close());

const sessions = (...args: readonly string[]) => runCommand(database, sessionsCommand, ['sessions', ...args], {});
const listed = async (...args: readonly string[]) => JSON.parse((await sessions('list', ...args, '--json')).out);

describe('quipu sessions', () => {
  it('lists who is signed in, of everyone or of one person, without tokens', async () => {
    expect((await sessions('list')).out).toBe('Nobody is signed in.\n');
    await server.create(ANA);
    await server.create(BRUNO);
    const [bruno, ana] = await listed();
    const times = Object.fromEntries(['signed_in_at', 'last_used_at', 'ends_at'].map((name) => [name, expect.stringMatching(ISO)]));
    const ids = { id: expect.any(String), person_id: expect.stringMatching(/^[0-9a-f]{32}$/), key_id: keyId };
    expect(bruno).toEqual({ ...ids, name: 'Bruno Souza', email: null, role: 'read', ...times });
    expect(ana).toEqual({ ...ids, name: 'Ana Pérez', email: 'Ana@example.com', role: 'decide', ...times });
    expect(await listed('ana@EXAMPLE.com')).toEqual([ana]);
    expect(await listed(bruno.person_id.slice(0, 8))).toEqual([bruno]);
    expect((await sessions('list')).out).toMatch(
      /^ID +PERSON +NAME +E-MAIL +ROLE +SIGNED IN +LAST USED +ENDS\n[\s\S]*Bruno Souza +none +read /,
    );
  });

  it('AK-08 ends all sessions of a person within 5 s at a running server, and records each', async () => {
    const [tokenOfAna, another, tokenOfBruno] = [await server.create(ANA), await server.create(ANA), await server.create(BRUNO)];
    for (const token of [tokenOfAna, another, tokenOfBruno]) expect(await server.find(token)).not.toBeNull();
    const ended = JSON.parse((await sessions('end', 'ana@example.com', '--json')).out);
    expect(ended.map(({ name }: { name: string }) => name)).toEqual(['Ana Pérez', 'Ana Pérez', 'Ana Pérez']);
    passedMs += 5 * SECOND_MS;
    expect([await server.find(tokenOfAna), await server.find(another)]).toEqual([null, null]);
    expect(await server.find(tokenOfBruno)).not.toBeNull();
    const entries = JSON.parse((await runCommand(database, auditCommand, ['audit', '--json'], {})).out).filter(
      ({ action }: { action: string }) => action === 'person.session_ended',
    );
    expect(entries).toHaveLength(3);
    const [{ id, person_id: person }] = ended;
    expect(entries).toContainEqual(
      expect.objectContaining({ actor: expect.stringMatching(/^operator/), subject: id, facts: { key: keyId, person } }),
    );
    expect(JSON.stringify(entries)).not.toMatch(/ana/i);
  });

  it('ends a single session, and those of everyone', async () => {
    await sessions('end', '--all');
    const tokens = [await server.create(ANA), await server.create(ANA)];
    const [newest] = await listed();
    expect((await sessions('end', newest.id)).out).toBe('Ended 1 session. Effective within 5 seconds.\n');
    expect(await listed()).toHaveLength(1);
    await server.create(BRUNO);
    expect((await sessions('end', '--all')).out).toBe('Ended 2 sessions. Effective within 5 seconds.\n');
    expect((await sessions('end', '--all')).out).toBe('There is no such session.\n');
    passedMs += 5 * SECOND_MS;
    for (const token of tokens) expect(await server.find(token)).toBeNull();
  });

  it.each([
    [['end'], 'Name a person or a session, or give --all.\n'],
    [['end', 'ana@example.com', '--all'], 'Name a person or a session, or give --all.\n'],
    [['end', 'abc'], '"abc" is neither an e-mail address nor the first 8 or more characters of an id.\n'],
    [['end', '%%%%%%%%'], '"%%%%%%%%" is neither an e-mail address nor the first 8 or more characters of an id.\n'],
  ])('refuses %j and ends nothing', async (args, message) => {
    await server.create(ANA);
    const { code, err } = await sessions(...args);
    expect([code, err]).toEqual([1, message]);
    expect((await listed('ana@example.com')).length).toBeGreaterThan(0);
  });
});
