import { COEFFICIENTS } from './coefficients.ts';

/** Load of a deployment. All watched companies count as Brazilian ones, whose registry is called over HTTP. */
export interface Load {
  /** Number of watched companies. */
  readonly companies: number;
  /** Number of changes that are detected in a day, each counted once for any number of monitors. */
  readonly changesPerDay: number;
  /** Number of monitors that watch a company. */
  readonly monitorsPerCompany: number;
  /** Number of webhook deliveries of a change. */
  readonly webhooksPerChange: number;
  /** Milliseconds until a receiver answers a webhook. */
  readonly receiverMs: number;
  /** Number of sockets and event streams that receive a change. */
  readonly socketsPerChange: number;
  /** Number of hours between two checks of a watched company (`QUIPU_MONITOR_INTERVAL`). */
  readonly intervalHours: number;
  /** Milliseconds until the registry answers one call. */
  readonly registryMs: number;
  /** Number of companies that requests ask for in a second, averaged over a day. */
  readonly checksPerSecond: number;
  readonly companiesPerRequest: number;
  /** Share of these companies, 0 to 1, whose answers are in a cache. */
  readonly cacheShare: number;
  /** Rate of the busiest second divided by the average, of requests and changes. */
  readonly peak: number;
  /** Number of open sockets and event streams. */
  readonly subscriptions: number;
  /** Number of cores of a machine: of those with web processes and workers, and of that of Postgres. */
  readonly cores: number;
  /** Number of days that usage is kept (`QUIPU_USAGE_KEPT`). */
  readonly usageDays: number;
}

/** A limit that more processes do not raise. */
export interface Limit {
  readonly name: string;
  readonly unit: string;
  /** Amount that the load needs, and amount that the deployment has. */
  readonly needs: number;
  readonly has: number;
  /** `needs` divided by `has`. Above 1 the deployment cannot handle the load. */
  readonly used: number;
  /** Change to make before the limit is reached. */
  readonly change: string;
}

/** Rates by second, in the busiest second; checks of watched companies are spread over their interval. */
interface Rates {
  readonly requests: number;
  /** Companies of requests that are in no cache. */
  readonly misses: number;
  readonly checksOfWatched: number;
  readonly registryCalls: number;
  readonly changes: number;
  readonly deliveries: number;
  /** Events that sockets and event streams receive. */
  readonly messages: number;
}

/** Resources that each process or store needs. */
interface Needs {
  readonly rates: Rates;
  readonly web: {
    readonly processes: number;
    /** Number of cores that are busy in the busiest second, over all processes. */
    readonly busyCores: number;
    /** Part of it that each process uses regardless of its requests. */
    readonly ownCores: number;
    readonly bytesEach: number;
    /** Bytes of all answers that requests use, which each process would cache without a limit. */
    readonly cacheBytes: number;
  };
  readonly workers: number;
  readonly redisBytes: number;
  readonly postgres: {
    /** Number of cores that are busy in the busiest second. */
    readonly busyCores: number;
    readonly bytes: number;
    /** Bytes by table, with its indexes. */
    readonly tables: Readonly<Record<string, number>>;
    readonly walBytesPerSecond: number;
  };
}

/** Resources that a load needs, and the use of each limit. */
export interface Capacity extends Needs {
  /** Number of machines for web processes and workers. */
  readonly machines: number;
  /** Limits, the tightest first. */
  readonly limits: readonly Limit[];
}

const DAY_S = 86_400;
const HOUR_S = 3_600;
/** Minimum number of processes of each kind, so that one can fail or restart. */
const MIN_PROCESSES = 2;
/** Name of a coefficient → its value. */
const C = Object.fromEntries(Object.entries(COEFFICIENTS).map(([name, { value }]) => [name, value])) as Readonly<
  Record<keyof typeof COEFFICIENTS, number>
>;

/** Computes the resources that a load needs, and the use of each limit. */
export function capacityOf(load: Load): Capacity {
  const rates = ratesOf(load);
  const needs = {
    rates,
    web: webOf(load, rates),
    workers: workersOf(load, rates),
    redisBytes: redisBytesOf(load),
    postgres: postgresOf(load, rates),
  };
  const machines = Math.ceil((needs.web.processes + needs.workers) / load.cores);
  return { ...needs, machines, limits: limitsOf(load, needs).sort((one, other) => other.used - one.used) };
}

function ratesOf({
  companies,
  intervalHours,
  checksPerSecond,
  companiesPerRequest,
  cacheShare,
  changesPerDay,
  webhooksPerChange,
  socketsPerChange,
  peak,
}: Load): Rates {
  const checksOfWatched = companies / (intervalHours * HOUR_S);
  const misses = checksPerSecond * (1 - cacheShare) * peak;
  const changes = (changesPerDay / DAY_S) * peak;
  return {
    requests: (checksPerSecond / companiesPerRequest) * peak,
    misses,
    checksOfWatched,
    registryCalls: checksOfWatched + misses,
    changes,
    deliveries: changes * webhooksPerChange,
    messages: changes * socketsPerChange,
  };
}

/** Returns the number of companies that are fetched in a number of seconds because requests need them and no cache has them. */
const fetchedIn = (seconds: number, { checksPerSecond, cacheShare }: Load): number => checksPerSecond * (1 - cacheShare) * seconds;

function webOf(load: Load, { requests, misses, changes, messages }: Rates): Needs['web'] {
  const { companiesPerRequest, subscriptions } = load;
  const ofRequests = requests * (C.requestCpuMs + C.companyCpuMs * companiesPerRequest) + misses * C.missCpuMs;
  const ofSockets = subscriptions * C.socketCpuMs + messages * C.messageCpuMs;
  const cores = (ofRequests + ofSockets) / 1_000;
  /** Number of cores of each process for the change log: a process reads every change, for the sockets that it may have. */
  const ownCores = (C.idleCpuMs + changes * C.eventCpuMs) / 1_000;
  const free = Math.max(C.busyShare - ownCores, C.busyShare / 10);
  const processes = Math.max(MIN_PROCESSES, Math.ceil(cores / free), Math.ceil(subscriptions / C.socketsPerProcess));
  const cacheBytes = fetchedIn(C.freshHours * HOUR_S, load) * C.cachedCompanyBytes;
  const bytesEach = C.processBytes + Math.min(cacheBytes, C.heapBytes) + (subscriptions / processes) * C.socketBytes;
  return { processes, busyCores: cores + processes * ownCores, ownCores, bytesEach, cacheBytes };
}

function workersOf({ registryMs, receiverMs }: Load, { checksOfWatched, deliveries }: Rates): number {
  const jobs = Math.min(C.checkJobs, Math.ceil(checksOfWatched / checksPerSecondOfJob(registryMs)));
  return Math.max(MIN_PROCESSES, jobs, Math.ceil(deliveries / deliveriesPerSecondOf(receiverMs)));
}

/**
 * Returns the webhook attempts a second of a worker. An attempt takes its own work and the wait for the receiver, of which a worker has
 * `webhookRequests` at once.
 */
const deliveriesPerSecondOf = (receiverMs: number): number => 1 / (1 / C.deliveriesPerSecond + receiverMs / 1_000 / C.webhookRequests);

function redisBytesOf(load: Load): number {
  const checkedInTime = load.companies * Math.min(1, C.keptHours / load.intervalHours);
  return (checkedInTime + fetchedIn(C.keptHours * HOUR_S, load)) * C.redisAnswerBytes;
}

function postgresOf(load: Load, { requests, misses, checksOfWatched, deliveries }: Rates): Needs['postgres'] {
  const { companies, changesPerDay, monitorsPerCompany, webhooksPerChange } = load;
  const tables = {
    watched_companies: companies * C.watchedCompanyBytes,
    monitor_companies: companies * monitorsPerCompany * C.monitorCompanyBytes,
    changes: changesPerDay * monitorsPerCompany * C.changeDays * C.changeBytes,
    deliveries: changesPerDay * webhooksPerChange * C.deliveryDays * C.deliveryBytes,
    usage_events: (requests / load.peak) * DAY_S * load.usageDays * C.usageBytes,
  };
  const cpuMs =
    requests * C.requestPostgresMs + misses * C.missPostgresMs + checksOfWatched * C.checkPostgresMs + deliveries * C.deliveryPostgresMs;
  return {
    busyCores: cpuMs / 1_000,
    bytes: Object.values(tables).reduce((sum, bytes) => sum + bytes, 0),
    tables,
    walBytesPerSecond: checksOfWatched * C.checkWalBytes,
  };
}

function limitsOf(load: Load, { rates, web, workers, redisBytes, postgres }: Needs): Limit[] {
  const { checksOfWatched, changes } = rates;
  const checked = C.checkJobs * checksPerSecondOfJob(load.registryMs);
  const counted = load.changesPerDay > 0 ? load.companies : 0;
  const commits = Math.min(changes, checksOfWatched / C.checkBatch);
  const [largest, largestBytes] = Object.entries(postgres.tables).reduce((one, other) => (other[1] > one[1] ? other : one));
  const connections = web.processes * C.webConnections + workers * C.workerConnections;
  return [
    limit('checks of watched companies', 'a second', checksOfWatched, checked, REMEDIES.checks),
    limit('mass-change guard', 'watched companies', counted, C.countedPerSecond * C.statementSeconds, REMEDIES.guard),
    limit('change log', 'commits a second', commits, C.commitsPerSecond, REMEDIES.log),
    limit('CPU of Postgres', 'cores', postgres.busyCores, load.cores * C.busyShare, REMEDIES.postgres),
    limit(`table ${largest}`, 'bytes', largestBytes, C.tableBytes, REMEDIES.table),
    limit('connections of Postgres', 'connections', connections, C.postgresConnections, REMEDIES.connections),
    limit('cache of a web process', 'bytes', web.cacheBytes, C.heapBytes, REMEDIES.cache),
    limit('memory of Redis', 'bytes', redisBytes, C.redisBytes, REMEDIES.redis),
  ];
}

/**
 * Returns the number of companies a second that one job checks. It calls the registry for a batch, `registryCalls` companies at a time,
 * and then stores the batch.
 */
function checksPerSecondOfJob(registryMs: number): number {
  const callsMs = Math.ceil(C.checkBatch / C.registryCalls) * registryMs;
  const workMs = (C.checkBatch / C.checksPerSecond) * 1_000;
  return C.checkBatch / ((callsMs + workMs) / 1_000);
}

const limit = (name: string, unit: string, needs: number, has: number, change: string): Limit => ({
  name,
  unit,
  needs,
  has,
  used: needs / has,
  change,
});

/** Changes to make when a limit is near; docs/scaling.md describes each. */
const REMEDIES = {
  checks:
    'raise QUIPU_MONITOR_INTERVAL (the registry publishes monthly), or run a mirror of the registry beside the workers (QUIPU_RECEITA_URL)',
  guard: 'code: keep a count of the watched companies instead of counting them; until then shard by account',
  log: 'code: assign positions from the write-ahead log (logical replication) instead of under a lock; or shard by account',
  postgres: 'a larger machine; a read replica for the copies of registries (DATABASE_READ_URL); then shard by account',
  table: 'keep rows for a shorter time (QUIPU_USAGE_KEPT, QUIPU_MONITOR_…_KEPT); code: partitions by time; or shard by account',
  connections: 'PgBouncer, with DATABASE_DIRECT_URL',
  cache: 'keep the limit QUIPU_CACHE_BYTES and read from Redis, or let the load balancer send a key to the same process',
  redis: 'set maxmemory with volatile-ttl: answers of checks that nobody reads again are evicted',
} as const;
