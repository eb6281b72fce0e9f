import { Command } from 'commander';
import type { Knex } from 'knex';
import type { Io } from '../../src/cli/run.ts';
import { createDb } from '../../src/db/knex.ts';
import type { TestDb } from './db.ts';

/** HMAC secret of the API keys that commands create. */
export const SECRET = 'a secret of the tests';

interface Store {
  readonly db: Knex;
  readonly secret: string;
  close(): Promise<void>;
}

/** Runs `quipu …` in this process with its own pool, closed afterwards. `parts` are added to the store that the command opens. */
export async function runCommand<P extends object>(
  database: TestDb,
  command: (open: () => Promise<Store & P>, io: Io) => Command,
  args: readonly string[],
  parts: P,
) {
  const said = { out: '', err: '', open: 0 };
  const io = {
    out: (text: string) => {
      said.out += text;
    },
    err: (text: string) => {
      said.err += text;
    },
  };
  const open = async () => {
    said.open += 1;
    const db = createDb(database.url);
    const close = async () => {
      await db.destroy();
      said.open -= 1;
    };
    return { ...parts, db, secret: SECRET, close };
  };
  process.exitCode = undefined;
  await new Command('quipu').addCommand(command(open, io)).parseAsync([...args], { from: 'user' });
  const code = process.exitCode ?? 0;
  process.exitCode = undefined;
  return { ...said, code };
}
