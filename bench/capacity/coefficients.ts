/** A constant of the capacity model. */
export interface Coefficient {
  readonly value: number;
  readonly unit: string;
  /**
   * Basis of the value. `measured`: by the named bench or test. `set`: by the code, a setting or a default. `estimated`: nothing in the
   * project measures it.
   */
  readonly basis: 'measured' | 'set' | 'estimated';
  /** Source of the value, as Markdown. */
  readonly source: string;
}

const measured = (value: number, unit: string, source: string): Coefficient => ({ value, unit, basis: 'measured', source });
const set = (value: number, unit: string, source: string): Coefficient => ({ value, unit, basis: 'set', source });
const estimated = (value: number, unit: string, source: string): Coefficient => ({ value, unit, basis: 'estimated', source });

const STORED = '[stored bytes](#stored-bytes), 29 November 2026';
const MONITOR = '[monitor](benchmarks.md#monitor-sweeps-changes-subscribers), 21 November 2026, cf69a38';
const STEPS = '[graphql](decisions/0032-steps-of-tuning.md#requests-from-the-cache)';
const GRAPHQL = '[graphql](benchmarks.md#graphql-the-compliance-query), 29 November 2026, a0a2e7b3';
const WEB_COSTS = '[CPU of a web process](#web-costs), 25 November 2026';
const SOCKET_COSTS = '[CPU of a web process](#web-costs), 1 December 2026: three runs beside other work';
const DELIVERIES = '[deliveries](benchmarks.md#deliveries-webhooks-to-receivers-that-answer-at-once), 25 November 2026, e7e8c95';
const COLD = '[cold](decisions/0032-steps-of-tuning.md#companies-that-are-in-no-cache), 23 November 2026, 2792f20';

/** All constants of the model. CPU times are for one core of the machine on which they were measured. */
export const COEFFICIENTS = {
  // Requests and sockets
  requestCpuMs: measured(
    1.22,
    'ms CPU of a web process per request',
    `${WEB_COSTS}: 1.23 ms for 1 company. In a process that is fully busy it is 0.36 (${GRAPHQL})`,
  ),
  companyCpuMs: measured(
    0.012,
    'ms CPU of a web process per company',
    `${GRAPHQL}: 5.76 ms for 500 companies. For 50 companies it is 0.003`,
  ),
  missCpuMs: measured(
    0.93,
    'ms CPU of a web process per company in no cache',
    `at most 0.46 ms for the call (a sweep over HTTP checks 2,163 a second, ${MONITOR}), and 0.47 ms for the lists (${COLD})`,
  ),
  requestPostgresMs: measured(
    0.49,
    'ms CPU of Postgres per request',
    `${STEPS}, 23 November 2026, e90331b: the statement that writes usage. Requests at the same moment share one, so this is too high`,
  ),
  missPostgresMs: measured(0.2, 'ms CPU of Postgres per company in no cache', `${COLD}: one statement on five lists`),
  idleCpuMs: measured(
    15.3,
    'ms CPU a second of a web process without requests',
    `${SOCKET_COSTS}, of which one that had 31.7 does not count`,
  ),
  socketCpuMs: measured(
    0.02,
    'ms CPU a second of a web process per idle socket',
    `${SOCKET_COSTS}, of which one without a usable time of the idle process does not count`,
  ),
  eventCpuMs: measured(1.06, 'ms CPU of each web process per change', SOCKET_COSTS),
  messageCpuMs: measured(0.05, 'ms CPU of a web process per event that is sent to a socket', SOCKET_COSTS),
  cachedCompanyBytes: measured(
    18_480,
    'bytes of heap per company in the cache',
    '[memory](benchmarks.md#memory-cached-companies), 29 November 2026, a0a2e7b3',
  ),
  processBytes: measured(152_000_000, 'bytes of a process without caches', '[import](benchmarks.md#how-to-read-them-1), 21 November 2026'),
  socketBytes: measured(14_950, 'bytes of a web process per idle socket', MONITOR),
  socketsPerProcess: set(10_000, 'sockets of a web process', '`QUIPU_MAX_CONNECTIONS`'),

  // Checks of watched companies
  checksPerSecond: measured(
    2_163,
    'checks a second of a worker whose registry answers at once',
    `${MONITOR}: over HTTP, one process, one batch at a time`,
  ),
  checkBatch: set(64, 'companies per batch', '`src/modules/monitor/service/checks.ts`'),
  registryCalls: set(16, 'concurrent calls of a process to a registry', '`src/app/sources.ts`'),
  checkJobs: set(3, 'batches of Brazilian companies at once, over all workers', '`src/modules/monitor/service/checks.ts`'),
  checkPostgresMs: measured(0.13, 'ms CPU of Postgres per check', STORED),
  checkWalBytes: measured(950, 'bytes of write-ahead log per check', STORED),
  countedPerSecond: measured(
    600_000,
    'rows a second that Postgres counts',
    '[mass-change guard](#guard), 24 November 2026, one run: a batch with a change counts the watched companies of its country',
  ),
  statementSeconds: set(4, 's, time limit of a statement', '`src/db/knex.ts`'),

  // Changes and webhooks
  commitsPerSecond: estimated(
    200,
    'commits a second to the change log',
    '[0006](decisions/0006-change-log-in-commit-order.md): "some hundreds", because each waits for the one before',
  ),
  deliveriesPerSecond: measured(
    900,
    'webhook attempts a second of a worker whose receivers answer at once',
    `${DELIVERIES}: half of the rate of two processes on two cores`,
  ),
  webhookRequests: set(64, 'concurrent requests of a worker to webhook receivers', '`src/webhooks/service/webhook-sender.ts`'),
  deliveryPostgresMs: measured(0.4, 'ms CPU of Postgres per webhook attempt', `${DELIVERIES}: with two processes`),

  // Rows, with their indexes
  watchedCompanyBytes: measured(1_280, 'bytes per watched company', STORED),
  monitorCompanyBytes: measured(220, 'bytes per company of a monitor', STORED),
  changeBytes: measured(490, 'bytes per row of the change log', STORED),
  deliveryBytes: measured(1_140, 'bytes per delivery with one attempt', STORED),
  usageBytes: measured(162, 'bytes per row of usage', STORED),
  changeDays: set(7, 'days that changes are kept', '`QUIPU_MONITOR_CHANGES_KEPT`'),
  deliveryDays: set(30, 'days that deliveries are kept', '`QUIPU_MONITOR_DELIVERIES_KEPT`'),

  // Redis
  redisAnswerBytes: measured(1_230, "bytes per company: the Brazilian registry's answer with its key", STORED),
  freshHours: set(6, 'h until an answer is fetched again', '`src/loaders/taxpayer.ts`'),
  keptHours: set(24, 'h that Redis keeps an answer', '`src/loaders/taxpayer.ts`'),

  // Connections
  webConnections: set(19, 'connections of a web process', '[operations](operations.md#poolers): 17 and 2 for notifications'),
  workerConnections: set(29, 'connections of a worker', '[operations](operations.md#poolers): 10 more for jobs'),
  postgresConnections: set(97, 'connections that Postgres accepts', '`max_connections` of 100, 3 of them reserved'),

  // Targets
  busyShare: estimated(0.6, 'share of a core that is used in the busiest second', 'above it, waiting times grow quickly'),
  tableBytes: estimated(500e9, 'bytes of a table', 'a vacuum, a new index or a restore of a larger one takes hours'),
  heapBytes: estimated(
    2e9,
    'bytes of cached answers in a web process',
    'a full garbage collection of more stops requests for a second or longer',
  ),
  redisBytes: estimated(64e9, 'bytes of one Redis', 'memory of a common machine'),
} as const satisfies Readonly<Record<string, Coefficient>>;
