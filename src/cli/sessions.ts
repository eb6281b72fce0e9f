import { Command } from 'commander';
import type { Knex } from 'knex';
import { endChosenSessions } from '../auth/sign-in/ended-sessions.ts';
import { type ListedSession, listPersonSessions, type SessionChoice } from '../auth/store/person-sessions.ts';
import { invalidInput } from '../domain/errors.ts';
import { isoOrNull } from '../domain/time.ts';
import { type Act, type Io, JSON_HELP, json, operator, readEmail, runOn, tableText } from './run.ts';

/** The database with the sessions. */
export interface SessionStore {
  readonly db: Knex;
  close(): Promise<void>;
}

interface Options {
  readonly all?: boolean;
  readonly json?: boolean;
}

const WHICH_HELP = 'e-mail address of the person, or the first characters of the id of the person or of a session, at least 8';
const MAX_LISTED = 1_000;

/**
 * Creates `sessions list|end`: the sessions of people who signed in by OpenID Connect. Errors go to `io.err` in one line, with exit code 1.
 * @param openDb called when the command's arguments are valid; closed when it ends
 */
export function sessionsCommand(openDb: () => Promise<SessionStore>, io: Io): Command {
  const act: Act<SessionStore> = (work) => runOn(openDb, io, work);
  const sessions = new Command('sessions')
    .description('Sessions of people who signed in to the dashboard')
    .configureOutput({ writeOut: io.out, writeErr: io.err });
  for (const add of [addList, addEnd]) add(sessions, act);
  return sessions;
}

function addList(sessions: Command, act: Act<SessionStore>): void {
  sessions
    .command('list')
    .description(`list sessions, newest first, at most ${MAX_LISTED}`)
    .argument('[who]', `${WHICH_HELP}; by default everyone`)
    .option('--json', JSON_HELP)
    .action((who: string | undefined, options: Options) =>
      act(async (open) => {
        const choice = who === undefined ? 'all' : readChoice(who);
        const { db } = await open();
        const listed = await listPersonSessions(db, choice, { at: Date.now(), limit: MAX_LISTED });
        if (options.json) return json(listed.map(sessionJson));
        return listed.length === 0 ? 'Nobody is signed in.\n' : sessionsTable(listed);
      }),
    );
}

function addEnd(sessions: Command, act: Act<SessionStore>): void {
  sessions
    .command('end')
    .description('end the sessions of a person, or a single one')
    .argument('[who]', WHICH_HELP)
    .option('--all', 'end the sessions of everyone')
    .option('--json', JSON_HELP)
    .action((who: string | undefined, options: Options) =>
      act(async (open) => {
        const choice = readEndChoice(who, options);
        const { db } = await open();
        const ended = await endChosenSessions({ db, now: Date.now, actor: operator() }, choice);
        if (options.json) return json(ended.map(sessionJson));
        return ended.length === 0 ? 'There is no such session.\n' : `Ended ${countOf(ended)}. Effective within 5 seconds.\n`;
      }),
    );
}

const countOf = ({ length }: readonly ListedSession[]): string => (length === 1 ? '1 session' : `${length} sessions`);

/** @throws AppError INVALID_INPUT without a person, and for a person beside `--all` */
function readEndChoice(who: string | undefined, { all = false }: Options): SessionChoice {
  if (all === (who !== undefined)) throw invalidInput('who', 'Name a person or a session, or give --all.');
  return who === undefined ? 'all' : readChoice(who);
}

/** Ids are hexadecimal, with dashes in those of sessions. A short beginning could mean several people. */
const ID = /^[0-9a-f-]{8,36}$/;

/** @throws AppError INVALID_INPUT */
function readChoice(who: string): SessionChoice {
  if (who.includes('@')) return { email: readEmail(who) };
  if (!ID.test(who)) throw invalidInput('who', `"${who}" is neither an e-mail address nor the first 8 or more characters of an id.`);
  return { id: who };
}

const sessionsTable = (sessions: readonly ListedSession[]): string =>
  tableText(
    ['id', 'person', 'name', 'e-mail', 'role', 'signed in', 'last used', 'ends'],
    sessions.map((one) => [
      one.id,
      one.personId,
      one.name,
      one.email ?? 'none',
      one.role,
      ...[one.createdAt, one.lastUsedAt, one.endsAt].map((at) => isoOrNull(at) ?? ''),
    ]),
  );

const sessionJson = ({ id, personId, name, email, role, keyId, createdAt, lastUsedAt, endsAt }: ListedSession) => ({
  id,
  person_id: personId,
  name,
  email,
  role,
  key_id: keyId,
  signed_in_at: isoOrNull(createdAt),
  last_used_at: isoOrNull(lastUsedAt),
  ends_at: isoOrNull(endsAt),
});
