import path from 'node:path';
import { FRAGMENT } from './fragment.ts';
import { cyclesOf, entryGraphs, fileGraph, type Project, type SourceFile } from './project.ts';

/**
 * The rules of docs/architecture.md. A rule takes the files of a project and returns its violations, one sentence each.
 *
 * Layer: a number that follows from a file's path. A file imports from its own layer or a lower one.
 */
export type Rule = (project: Project) => readonly string[];

const MAX_LINES = 300;

const LAYERS: readonly (readonly [RegExp, number])[] = [
  [/^src\/(main|serve|app|config|cli|banner|node-version)\.ts$|^src\/(app|cli|config)\//, 7],
  [/^src\/server\/|^src\/modules\/index\.ts$/, 6],
  [/^src\/modules\/(module\.ts|[^/]+\/index\.ts)$|^src\/webhooks\/index\.ts$/, 5],
  [/^src\/(graphql|rest|mcp)\/|^src\/(webhooks|modules\/[^/]+)\/(graphql|rest)(\.ts|\/)/, 4],
  [/^src\/(auth|metering)\/|^src\/(webhooks|modules\/[^/]+)\/(service(\.ts|\/)|jobs\.ts$|[^/]+\.job\.ts$)/, 3],
  [/^src\/(loaders|jobs|audit|evidence)\/|^src\/(context|event-feed|observer|service)\.ts$|^src\/modules\/[^/]+\/loaders?(\.ts|\/)/, 2],
  [/^(src\/(cache|sources|db)|sandbox)\/|^src\/(webhooks|modules\/[^/]+)\/(sources?|store)(\.ts|\/)/, 1],
  [/^src\/(domain|messages|names|scheduling)\/|^src\/(webhooks|modules\/[^/]+)\/domain(\.ts|\/)/, 0],
];

/** `src/db` and stores, which may contain SQL. */
const STORES = /^src\/db\/|\bstore(\.ts$|\/)/;
/** Why SQL stands outside of stores. */
const AUTH = 'each operation is one statement with its entry of the audit log';

/** Package → the folders that may import it. Type imports are free. */
const HOMES: Readonly<Record<string, RegExp>> = {
  dataloader: /^src\/loaders\//,
  'lru-cache': /^src\/cache\//,
  'type-graphql': /graphql/,
  'graphql-scalars': /^src\/graphql\//,
  '@apollo/subgraph': /^src\/graphql\/federation\.ts$/,
  '@apollo/server': /^src\/(server|graphql)\//,
  fastify: /^src\/(server|app\.ts)/,
  '@fastify/proxy-addr': /^src\/server\/request\.ts$/,
  '@modelcontextprotocol/sdk': /^src\/(mcp\/|cli\/mcp\.ts$)/,
  'graphile-worker': /^src\/jobs\//,
  'graphql-ws': /^src\/server\//,
  ws: /^src\/server\//,
  'prom-client': /^src\/server\//,
  '@opentelemetry': /^src\/server\/telemetry\//,
  ioredis: /^src\/cache\//,
  'cli-table3': /^src\/cli\//,
  pdfkit: /^src\/evidence\/document\.ts$/,
  'qrcode-generator': /^src\/evidence\/qr-code\.ts$/,
  'csv-stringify': /^(src\/(cli|modules\/screening)|sandbox)\/|graphql\//,
  canonicalize: /^src\/evidence\/seal\.ts$/,
  nodemailer: /^src\/auth\/mail\.ts$/,
  'openid-client': /^src\/auth\/sign-in\/issuer\.ts$/,
  // Modules that open sockets. Hosts that users name are reached through src/sources/outbound alone; the linter denies the globals.
  // A command calls the server that its user names.
  undici: /^src\/(sources\/(copies|http|registry|outbound)\/|cli\/client\.ts$)/,
  'node:net': /^(src\/app\/shared-port\.ts$|(src\/sources\/(dns|outbound)|src\/metering\/journal|sandbox)\/)/,
  'node:tls': /^src\/sources\/outbound\//,
  'node:dns': /^src\/sources\/dns\//,
  'node:dgram': /^(src\/sources\/dns|sandbox)\//,
  'node:http': /^sandbox\//,
  'node:https': /^$/,
  'node:http2': /^$/,
  'dns-packet': /^(src\/sources\/dns|sandbox)\//,
  zod: /^src\/(cache|loaders|sources|rest|mcp|jobs|config|server\/rest\.ts)|^src\/(auth|metering|audit)\/[^/]*jobs?\.ts|^src\/(webhooks|modules\/[^/]+)\/(loader|source|rest|index|jobs|[^/]+\.job)/,
  knex: STORES,
  pg: STORES,
  'pg-copy-streams': /^src\/db\/copy-stream\.ts$/,
  yauzl: /^src\/sources\/registry\/archive\.ts$/,
};

/** Folder → the folders that it may import beside itself. The others are bound by their layer only. */
const IMPORTED_BY: Readonly<Record<string, readonly string[]>> = {
  'src/messages': [],
  'src/domain': ['src/messages'],
  'src/names': ['src/domain', 'src/messages', 'src/scheduling'],
  'src/scheduling': ['src/domain'],
  'src/evidence': ['src/audit', 'src/cache', 'src/db', 'src/domain', 'src/messages'],
  // The sandbox knows the upstreams' formats by itself: what it shared with our readers would hide their mistakes.
  sandbox: ['src/domain'],
};

/**
 * The vocabulary of performance: of values in memory or promised, and of results and texts that are kept. Modules have plain values and
 * promises; `src/loaders/derived-from.ts`, `companyField` and `sharedObject` hide the rest.
 */
const BEHIND_FENCES = /\b(?:Awaitable|whenKnown|inMemory|ObjectSlot|keepByParts|allowKeptText|keptTextOf|isKeeping)\b/g;

/** Files that are named after what they do with SQL: a gauge is a query beside its name, and account data names tables for export and erasure. */
const GAUGES_AND_ACCOUNT_DATA = /\/(gauges|account-data)\.ts$/;
/** A statement as text, `db.raw(…)`, or a query that begins with the name of a table. */
const SQL = /[\x22\x27\x60]\s*(?:SELECT|INSERT INTO|UPDATE|DELETE FROM|WITH)\s|\.raw\(|\b(?:db|trx)\(\s*[\x22\x27\x60]/;
/** Other files with SQL → why it stands there. */
const SQL_OUTSIDE_STORES: Readonly<Record<string, string>> = {
  'src/app/telemetry.ts': 'the gauges of the job queue, a query each beside its name',
  'src/audit/audit-log.ts': 'the store of the audit log has no other part',
  'src/auth/accounts/accounts.ts': AUTH,
  'src/auth/accounts/erasure.ts': 'composes the export and the erasure of an account from the tables that modules name',
  'src/auth/trusted-documents.ts': AUTH,
  'src/jobs/job.ts': 'calls the functions of graphile-worker, which exist in SQL only',
  'src/jobs/worker.ts': 'calls the functions of graphile-worker, which exist in SQL only',
  'src/modules/monitor/service/retention.ts': 'names the tables of an account for its export and erasure',
};

/** Words that identifiers must not contain, because they are metaphors or terms of this project only. `docs/glossary.md` has the words in use. */
const RETIRED_WORDS = new Set(
  `adopt asked audience census deaf door doors edition editions face faces figure figures follower followers gate glimpse goodbye hasty heard lane lanes lately most outlet
  peer reach sift slips standing standings stories story stretch stretches throwaway told toll turn turns visit whoever`.split(/\s+/),
);
/** Folder → words that are retired in it only: a monitor holds changes, but a source is paused. */
const RETIRED_IN: Readonly<Record<string, ReadonlySet<string>>> = { 'src/sources/': new Set(['held']) };
/** Identifiers in which such a word has its usual meaning, and names that operators know. */
const ALLOWED_IDENTIFIERS = new Set(['peerDependencies', 'no_turn']);
/**
 * Such words that other code than `src` may use: the requests that a stand-in was asked, visits of syntax nodes and of websites, maxima,
 * turns of the event loop.
 */
const ALLOWED_IN_TESTS = new Set(['asked', 'visit', 'most', 'turn', 'turns']);

/** File names that say too little to occur twice. A file of the CLI has the name of its command. */
const UNIQUE_NAMES = new Set(['guard', 'usage', 'nesting', 'idempotency', 'log']);

const isIn = (folder: string) => (file: SourceFile) => file.path.startsWith(`${folder}/`);
const layerOf = (file: string): number | undefined => LAYERS.find(([where]) => where.test(file))?.[1];
const filesIn = (project: Project, folder: string): SourceFile[] => [...project.values()].filter(isIn(folder));

export const everyFileHasALayer: Rule = (project) =>
  filesIn(project, 'src')
    .filter((file) => layerOf(file.path) === undefined)
    .map((file) => file.path);

/** Data files belong to the folder that reads them; the compiler finds missing ones. */
const isData = (target: string): boolean => target.endsWith('.json');

/** The client that customers install. A command calls a server by it; the service itself does not know it. */
const CLIENT = 'clients/typescript/src/';

export const importsPointInward: Rule = (project) =>
  filesIn(project, 'src').flatMap((file) =>
    file.imports
      .filter(
        ({ target, isLocal }) =>
          isLocal &&
          target !== 'package.json' &&
          !(file.path.startsWith('src/cli/') && target.startsWith(CLIENT)) &&
          (!(project.has(target) || isData(target)) || (layerOf(target) ?? 9) > (layerOf(file.path) ?? -1)),
      )
      .map(({ target }) => `${file.path} → ${target}`),
  );

export const filesFormNoCycle: Rule = (project) => cyclesOf(fileGraph(project));

export const foldersFormNoCycle: Rule = (project) =>
  [...entryGraphs(project)].flatMap(([folder, graph]) => cyclesOf(graph).map((cycle) => `${folder}: ${cycle}`));

/** A live process loads no made-up data: only `app.ts` and `cli/program.ts` import the sandbox, by `import()`. Their types are free. */
export const sandboxIsLoadedOnDemand: Rule = (project) =>
  filesIn(project, 'src').flatMap((file) =>
    file.imports
      .filter(({ target }) => target.startsWith('sandbox/'))
      .filter(({ target, isTypeOnly, isDynamic }) => {
        const isRoot = layerOf(file.path) === 7;
        return !(target === 'sandbox/index.ts' && isRoot && (isTypeOnly || isDynamic));
      })
      .map(({ target }) => `${file.path} → ${target}`),
  );

/** A command starts in less than a second because it does not load the server and its packages. Dynamic imports are free. */
export const commandsLoadNoServer: Rule = (project) => {
  const loaded = new Set<string>();
  const load = (file: string): void => {
    if (loaded.has(file)) return;
    loaded.add(file);
    for (const { target, isTypeOnly, isDynamic } of project.get(file)?.imports ?? []) if (!isTypeOnly && !isDynamic) load(target);
  };
  load('src/cli/program.ts');
  return [...loaded]
    .filter((target) => /^(fastify|@apollo\/server|src\/server\/http\.ts)$/.test(target))
    .map((target) => `src/cli → ${target}`);
};

/** Engines and the sandbox are usable, and readable, with few other folders. */
export const enginesImportFewFolders: Rule = (project) =>
  Object.entries(IMPORTED_BY).flatMap(([folder, others]) =>
    filesIn(project, folder).flatMap((file) =>
      file.imports
        .filter(({ target, isLocal }) => isLocal && ![folder, ...others].some((one) => target.startsWith(`${one}/`)))
        .map(({ target }) => `${file.path} → ${target}`),
    ),
  );

/** SQL stands in stores, gauges and account data. A file that no longer needs its exception is found, too. */
export const sqlStaysInStores: Rule = (project) => {
  const mayHaveSql = ({ path }: SourceFile): boolean => STORES.test(path) || GAUGES_AND_ACCOUNT_DATA.test(path);
  const withSql = filesIn(project, 'src').filter((file) => !mayHaveSql(file) && SQL.test(withoutComments(file)));
  const excepted = filesIn(project, 'src').filter(({ path }) => path in SQL_OUTSIDE_STORES);
  return [
    ...withSql.filter(({ path }) => !(path in SQL_OUTSIDE_STORES)).map(({ path }) => `${path} contains SQL`),
    ...excepted.filter((file) => !withSql.includes(file)).map(({ path }) => `${path} contains no SQL and needs no exception`),
  ];
};

/** Everything but the composition root, the CLI and the modules themselves works with any list of modules. */
export const coreNamesNoModule: Rule = (project) =>
  filesIn(project, 'src')
    .filter((file) => !file.path.startsWith('src/modules/') && layerOf(file.path) !== 7)
    .flatMap((file) =>
      file.imports.filter(({ target }) => /^src\/modules\/[^/]+\//.test(target)).map(({ target }) => `${file.path} → ${target}`),
    );

/** The two interfaces of a module do not know each other: what both need, such as the cursor of a list, belongs to the domain or a loader. */
export const interfacesShareNothing: Rule = (project) => {
  const interfaceOf = (file: string): string | undefined =>
    /^src\/(?:(?:modules\/[^/]+|webhooks)\/)?(graphql|rest)(?:\.ts|\/)/.exec(file)?.[1];
  return filesIn(project, 'src').flatMap((file) => {
    const own = interfaceOf(file.path);
    return file.imports
      .filter(({ target }) => own !== undefined && (interfaceOf(target) ?? own) !== own)
      .map(({ target }) => `${file.path} → ${target}`);
  });
};

/** Performance is hidden behind a few functions, so that a module says what it answers. */
export const modulesHaveNoFastPaths: Rule = (project) =>
  filesIn(project, 'src/modules').flatMap((file) => [...new Set(codeOf(file).match(BEHIND_FENCES))].map((name) => `${file.path}: ${name}`));

export const packagesStayHome: Rule = (project) =>
  [...filesIn(project, 'src'), ...filesIn(project, 'sandbox')].flatMap((file) =>
    file.imports
      .filter(({ target, isTypeOnly }) => {
        const home = Object.entries(HOMES).find(([name]) => target === name || target.startsWith(`${name}/`))?.[1];
        return home !== undefined && !isTypeOnly && !home.test(file.path);
      })
      .map(({ target }) => `${file.path}: ${target}`),
  );

export const domainHasNoPackages: Rule = (project) =>
  filesIn(project, 'src')
    .filter((file) => layerOf(file.path) === 0 && file.imports.some(({ isLocal }) => !isLocal))
    .map((file) => file.path);

export const filesAreShort: Rule = (project) =>
  [...project.values()].filter((file) => linesOf(file) > MAX_LINES).map((file) => `${file.path}: ${linesOf(file)} lines`);

export const linesOf = ({ text }: SourceFile): number => text.split('\n').length - 1;

export const namesAreUnique: Rule = (project) => {
  const files = filesIn(project, 'src').filter((file) => !file.path.startsWith('src/cli/'));
  const names = Map.groupBy(files, (file) => path.basename(file.path, '.ts'));
  return [...names].flatMap(([name, same]) =>
    UNIQUE_NAMES.has(name) && same.length > 1 ? [`${name}: ${same.map((file) => file.path).join(', ')}`] : [],
  );
};

export const identifiersUseNoRetiredWord: Rule = (project) =>
  [...project.values()].flatMap((file) => {
    const isProduct = /^(src|sandbox)\//.test(file.path);
    const isRetired = (word: string) =>
      (RETIRED_WORDS.has(word) && (isProduct || !ALLOWED_IN_TESTS.has(word))) ||
      Object.entries(RETIRED_IN).some(([folder, words]) => file.path.startsWith(folder) && words.has(word));
    const names = [path.parse(file.path).name, ...(codeOf(file).match(/[A-Za-z_$][\w$]*/g) ?? [])];
    return [...new Set(names)]
      .filter((name) => !ALLOWED_IDENTIFIERS.has(name) && wordsOf(name).some(isRetired))
      .map((name) => `${file.path}: ${name}`);
  });

const wordsOf = (name: string): string[] => name.split(/(?<=[a-z\d])(?=[A-Z])|[_.-]/).map((word) => word.toLowerCase());

const withoutComments = ({ text }: SourceFile): string => text.replace(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*/g, ' ');

/** The text without comments, strings and templates. */
const codeOf = ({ text }: SourceFile): string =>
  text.replace(/\/\*[\s\S]*?\*\/|\/\/.*|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g, ' ');

/**
 * A comment is a sentence with a subject, or a noun phrase that names the thing. Of the tests, those in `test/support` are checked.
 * Generated files have the descriptions of the schema.
 */
export const commentsHaveASubject: Rule = (project) =>
  [...project.values()]
    .filter(({ path: file }) => !file.includes('/generated/') && (!file.startsWith('test/') || file.startsWith('test/support/')))
    .flatMap((file) => commentsOf(file).flatMap((text) => (FRAGMENT.test(text) ? [`${file.path}: ${text}`] : [])));

/** Begins a comment: a block, its first line with text, or a line that does not continue the comment of the line before. */
const COMMENT_START = /(?:^|[\s{])(?:\/\*\*?(?:\s*\n\s*\*)?|(?<!^\s*\/\/.*\n\s*)\/\/)[ \t]+/;
const COMMENTS = new RegExp(`${COMMENT_START.source}(\\S.*?)(?:\\s*\\*/.*)?$`, 'gm');

/** The first line of each comment. */
const commentsOf = ({ text }: SourceFile): string[] => [...text.matchAll(COMMENTS)].map(([, line = '']) => line);
