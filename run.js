// node run.js [src/main.js [arguments]]
// Compiles the sources where they changed since the last build, then runs a program of the build; without one it compiles only.
// Types are not checked here: `npm run typecheck` does that.
// On a Node that is too old for the service, the Node of the project does all this.
//
// A build has the compiled service, and the pages for browsers in `pages`.
//
// A build is a folder .build/<hash of the sources>, complete under that name at once, and `dist` is a link to the current one. Running
// processes stay in the folder that they started from, so starts at the same time and later builds cannot take files from them.
import { spawn, spawnSync } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import {
  existsSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import nodeModule from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** Builds that are kept beside those that running processes use. */
const KEPT_BUILDS = 4;
/** A file of a build for each process that runs from it. */
const USER_FILE = /^used-by-(\d+)$/;
const SOURCES = [
  'src',
  'sandbox',
  'clients/typescript/src',
  'migrations',
  'dashboard',
  'schema',
  'docs',
  'tsconfig.json',
  'tsconfig.build.json',
  'package.json',
];
/** Pages of the documentation outside of `docs`. */
const PAGES = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md', 'clients/typescript/README.md'];

const root = path.dirname(fileURLToPath(import.meta.url));
const dist = path.join(root, 'dist');
const builds = path.join(root, '.build');

const oldest = oldestNode();
if (isOlder(process.versions.node, oldest)) runOnProjectNode();
else await runHere();

async function runHere() {
  const build = path.join(builds, hashOfSources());
  if (!existsSync(build)) compile(build);
  if (currentBuild() !== path.basename(build)) makeCurrent(build);

  nodeModule.enableCompileCache?.(); // a second start reads compiled code instead of compiling again; since Node 22.8
  const [program, ...args] = process.argv.slice(2);
  if (program !== undefined) {
    markAsUsed(build);
    const file = path.join(build, program);
    process.argv = [process.argv[0], file, ...args];
    await import(pathToFileURL(file).href);
  }
}

/** The version that src/node-version.ts states. */
function oldestNode() {
  return /OLDEST_NODE = '([\d.]+)'/.exec(readFileSync(path.join(root, 'src', 'node-version.ts'), 'utf8'))[1];
}

function isOlder(version, than) {
  const [parts, others] = [version, than].map((text) => text.split('.').map(Number));
  const differing = parts.findIndex((part, i) => part !== others[i]);
  return differing >= 0 && parts[differing] < others[differing];
}

/** Runs this file again on the Node of the project, as the same command. Exits with a sentence where it is not installed. */
function runOnProjectNode() {
  const node = ['node/bin/node', '.bin/node', '.bin/node.exe'].map((name) => path.join(root, 'node_modules', name)).find(existsSync);
  if (node === undefined || realpathSync(node) === realpathSync(process.execPath)) {
    const { node: version } = process.versions;
    process.stderr.write(
      `Quipu needs Node ${oldest} or newer, and this is ${version}: run npm ci, which installs the project's own Node.\n`,
    );
    process.exitCode = 1;
    return;
  }
  const child = spawn(node, process.argv.slice(1), { stdio: 'inherit' });
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  process.on('SIGINT', () => undefined); // a terminal sends it to both; the child decides when to end
  child.on('exit', (code, signal) => {
    if (signal === null) process.exitCode = code;
    else process.exitCode = 128 + os.constants.signals[signal];
  });
}

/** SHA-256 over the names and contents of all sources: takes about 30 ms. */
function hashOfSources() {
  const hash = createHash('sha256');
  const add = (name) => {
    const file = path.join(root, name);
    if (statSync(file).isDirectory()) {
      for (const entry of readdirSync(file).sort()) add(`${name}/${entry}`);
    } else {
      const text = readFileSync(file);
      hash.update(`${name}\n${text.length}\n`).update(text);
    }
  };
  for (const name of [...SOURCES, ...PAGES]) add(name);
  return hash.digest('hex').slice(0, 16);
}

function compile(build) {
  process.stderr.write('Compiling the service and its pages, once for each change of the sources. This takes up to a minute.\n');
  const draft = `${build}.${randomUUID()}`;
  const run = (tool, ...options) =>
    spawnSync(process.execPath, [path.join(root, 'node_modules', tool), ...options], { cwd: root, stdio: ['ignore', 2, 2] }).status === 0;
  const isCompiled =
    run('typescript/bin/tsc', '-p', 'tsconfig.build.json', '--noCheck', '--outDir', draft) &&
    run('vite/bin/vite.js', 'build', 'dashboard', '--outDir', path.join(draft, 'pages'), '--logLevel', 'warn');
  if (!isCompiled) {
    rmSync(draft, { recursive: true, force: true });
    process.exit(1);
  }
  try {
    renameSync(draft, build);
  } catch (error) {
    if (!existsSync(build)) throw error;
    rmSync(draft, { recursive: true, force: true }); // another process compiled the same sources
  }
}

/** Name of the build that `dist` links to; null where `dist` is a folder or missing. */
function currentBuild() {
  try {
    return path.basename(readlinkSync(dist));
  } catch {
    return null;
  }
}

/** Later builds do not remove a build while its processes run. */
function markAsUsed(build) {
  const file = path.join(build, `used-by-${process.pid}`);
  try {
    writeFileSync(file, '');
    process.once('exit', () => rmSync(file, { force: true }));
  } catch {
    // This user cannot write the folder. The build is kept as one of the newest.
  }
}

/** Whether a process that runs from this build is alive. */
function isUsed(name) {
  const folder = path.join(builds, name);
  const files = existsSync(folder) ? readdirSync(folder) : [];
  return files.some((file) => isAlive(USER_FILE.exec(file)?.[1]));
}

function isAlive(pid) {
  try {
    return pid !== undefined && process.kill(Number(pid), 0);
  } catch (error) {
    return error.code === 'EPERM'; // it belongs to another user
  }
}

/** Replaces the link `dist` by a rename, and removes the oldest builds that nothing runs from. */
function makeCurrent(build) {
  utimesSync(build, new Date(), new Date());
  const link = `${dist}.${randomUUID()}`;
  symlinkSync(path.relative(root, build), link, 'junction');
  try {
    renameSync(link, dist);
  } catch {
    rmSync(dist, { recursive: true, force: true }); // a folder, and on Windows also a link, is not replaced by a rename
    renameSync(link, dist);
  }
  const changedAt = (name) => statSync(path.join(builds, name), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const newestFirst = readdirSync(builds).sort((a, b) => changedAt(b) - changedAt(a));
  for (const name of newestFirst.slice(KEPT_BUILDS)) if (!isUsed(name)) rmSync(path.join(builds, name), { recursive: true, force: true });
}
