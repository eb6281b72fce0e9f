import { z } from 'zod';
import { MODULES } from '../domain/catalogue.ts';
import type { GivenPlans } from '../domain/plan.ts';
import { PRICE } from '../domain/usage.ts';
import { readServer } from '../sources/dns/dns.ts';
import { isNetwork } from '../sources/outbound/address-policy.ts';
import { isEgressProxy } from '../sources/outbound/egress-proxy.ts';
import { graphqlSettings, operationsSettings } from './operations.ts';
import { signInSettings } from './sign-in.ts';
import { duration, list, port, retention } from './values.ts';

const count = z.int().min(1).max(1_000_000);

const terms = z.strictObject({
  included: z.int().min(0).nullable().optional(),
  overagePrice: z.string().regex(PRICE, 'expected a decimal text such as "0.30"').nullable().optional(),
  rate: z.strictObject({ perMinute: count, burst: count }).nullable().optional(),
});

const points = z.int().min(1).max(1_000_000_000);

const cost = z.strictObject({ ceiling: points.optional(), perMinute: points.optional(), burst: points.optional() });

const watch = z.strictObject({ monitors: count.optional(), companies: count.optional() });

const modules = Object.fromEntries(MODULES.map((module) => [module, terms.optional()]));

const plans = z.record(
  z.string().regex(/^[a-z][a-z0-9_-]{0,31}$/, 'expected a name such as "standard"'),
  z.strictObject({ ...modules, graphql: cost.optional(), watch: watch.optional() }),
);

/** Parses the JSON of QUIPU_PLANS to plans. Error messages name the path, such as `standard.compliance_br.rate`, and contain no values. */
const plansSetting = z
  .string()
  .transform((text, context): GivenPlans => {
    const read = plans.safeParse(jsonOf(text));
    if (read.success) return read.data as GivenPlans;
    for (const { path, message } of read.error.issues)
      context.addIssue({ code: 'custom', message: `${path.length > 0 ? `at ${path.join('.')}: ` : ''}${message}` });
    return z.NEVER;
  })
  .optional();

/** Parses JSON; undefined, which no schema accepts, for invalid JSON. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Default secret of a sandbox with DATABASE_URL. It is public, which is sufficient for keys to made-up data. */
export const SANDBOX_KEY_SECRET = 'quipu-api-keys-v1';

/** Core settings. Values are text; an empty value counts as not set. */
export const CORE = {
  PORT: { schema: port.default(4000), description: 'Port of the HTTP server; 0 for any free one.' },
  HOST: { schema: z.string().default('127.0.0.1'), description: 'Address to listen on; 0.0.0.0 for all.' },
  DATABASE_URL: {
    schema: z.url({ protocol: /^postgres(ql)?$/ }).optional(),
    description: 'Postgres to use. Without it an embedded one runs in QUIPU_DATA_DIR.',
  },
  DATABASE_DIRECT_URL: {
    schema: z.url({ protocol: /^postgres(ql)?$/ }).optional(),
    description:
      'Address of the same database without a connection pooler. Required if DATABASE_URL is the address of a pooler such as PgBouncer.',
  },
  DATABASE_READ_URL: {
    schema: z.url({ protocol: /^postgres(ql)?$/ }).optional(),
    description:
      'Address of a read replica of the same database, without a connection pooler. A process without the role worker reads the copies of tax registries and of tenders there.',
  },
  REDIS_URL: {
    schema: z.url({ protocol: /^rediss?$/ }).optional(),
    description:
      'Redis with which processes share limits and answers of live sources. Without it each process limits, fetches and caches on its own.',
  },
  QUIPU_DATA_DIR: {
    schema: z.string().default('.quipu'),
    description: 'Folder of the embedded Postgres, of generated keys and of downloads in progress.',
  },
  QUIPU_USAGE_DIR: {
    schema: z.string().min(1).optional(),
    description:
      'Folder of the usage journals; QUIPU_DATA_DIR/usage by default. Use a local disk that outlives the container: it holds answers that are not counted in the database yet, up to a second of them.',
  },
  QUIPU_SOURCES: {
    schema: z.enum(['sandbox', 'live']).default('sandbox'),
    description: 'sandbox: a simulator of the upstreams with made-up companies; live: the real registries.',
  },
  QUIPU_SANDBOX_PORT: {
    schema: port.default(0),
    description: 'Port of the simulator on loopback; 0 for the port of the last start in QUIPU_DATA_DIR, or any free one.',
  },
  QUIPU_SANDBOX_HOST: {
    schema: z.string().default('127.0.0.1'),
    description: 'Address on which the simulator listens; 0.0.0.0 in a container that publishes its port.',
  },
  QUIPU_METRICS_PORT: {
    schema: port.optional(),
    description: 'Port of /metrics for Prometheus, on HOST; 0 for any free one. Without it there are no metrics.',
  },
  QUIPU_BOOTSTRAP_KEY: {
    schema: z
      .string()
      .regex(/^sk_[\x21-\x7e]{8,200}$/, 'expected sk_ and at least 8 more characters')
      .optional(),
    description: 'An API key (sk_…) with all modules, created at the start.',
  },
  QUIPU_KEY_SECRET: {
    schema: z
      .string()
      .min(16, 'expected at least 16 characters')
      .refine((text) => text !== SANDBOX_KEY_SECRET, 'this text is public; choose another')
      .optional(),
    description:
      'Secret of the keyed hash under which API keys are stored, 16 characters or more. Changing it makes every key invalid. With the embedded Postgres, one is generated and kept in QUIPU_DATA_DIR/key.secret. With DATABASE_URL, live mode does not start without one, and the sandbox uses a public one.',
  },
  QUIPU_PLANS: {
    schema: plansSetting,
    description:
      'Plans in addition to the standard one, or changes to it, as JSON: included volume, overage price and rate by plan and module.',
  },
  QUIPU_LIST_INTERVAL: {
    schema: duration.optional(),
    description: 'Interval at which published lists are downloaded, e.g. 6h. By default each list has its own interval.',
  },
  QUIPU_OUTBOUND_ALLOW: {
    schema: list({ test: isNetwork }, 'expected networks such as 10.0.0.0/8, fd00::/8'),
    description:
      'Private networks (CIDR, comma-separated) that websites may be read from and webhooks may be sent to, also over plain http and on any port. The sandbox adds loopback.',
  },
  QUIPU_EGRESS_PROXY: {
    schema: z.string().refine(isEgressProxy, 'expected http://host:port or http://user:password@host:port').optional(),
    description:
      'HTTP proxy (http://host:port or http://user:password@host:port) through which webhooks and websites are requested, by CONNECT to the address that the service resolved and checked. Not used in the sandbox.',
  },
  QUIPU_DNS_SERVERS: {
    schema: list({ test: (text) => readServer(text) !== null }, 'expected name servers such as 1.1.1.1:53, [::1]:5353'),
    description: "Name servers (host:port, comma-separated). The default is those of the operating system, in the sandbox the simulator's.",
  },
  QUIPU_ROLES: {
    schema: list({ test: (text) => text === 'server' || text === 'worker' }, 'expected server, worker or both', 'server,worker'),
    description: 'Tasks of this process: server answers requests, worker runs background jobs; both by default.',
  },
  QUIPU_NEWER_SCHEMA: {
    schema: z.enum(['refuse', 'accept'], 'expected refuse or accept').default('refuse'),
    description:
      'Behaviour of a start on a database that a newer version has migrated. refuse: the process does not become ready. accept: it does, to go back by one version.',
  },
  QUIPU_ALLOWED_ORIGINS: {
    schema: list(
      { test: (text) => URL.parse(text.replace(/:\*$/, ''))?.origin === text.replace(/:\*$/, '') },
      'expected origins such as https://app.example.com',
    ),
    description:
      'Origins (comma-separated) of web pages that may call the service from browsers, by request or socket, in addition to its own pages. The port * allows every port. The sandbox adds http://localhost:*.',
  },
  QUIPU_TRUSTED_PROXIES: {
    schema: list({ test: isNetwork }, 'expected networks such as 10.0.0.0/8, fd00::/8'),
    description:
      'Networks (CIDR, comma-separated) of reverse proxies whose X-Forwarded-For is used as the client address; none by default.',
  },
  QUIPU_SMTP_URL: {
    schema: z.url({ protocol: /^smtps?$/, hostname: /./ }).optional(),
    description: 'Mail server for keys and notifications sent by e-mail: smtp://user:password@host:587 (upgraded to TLS) or smtps://…:465.',
  },
  QUIPU_MAIL_FROM: {
    schema: z
      .string()
      .regex(/^([^<>\r\n]+<[^\s<>@,]+@[^\s<>@,]+>|[^\s<>@,]+@[^\s<>@,]+)$/, 'expected an address such as keys@example.com')
      .optional(),
    description: 'Sender of these e-mails: keys@example.com, or Name <keys@example.com>.',
  },
  QUIPU_PUBLIC_URL: {
    schema: z
      .url({ protocol: /^https?$/, hostname: /./ })
      .refine((text) => !/[?#]/.test(text), 'expected an address such as https://quipu.example.com')
      .optional(),
    description:
      'Address under which people reach this service, such as https://quipu.example.com. Notifications by e-mail need it for their links.',
  },
  ...signInSettings,
  QUIPU_DEADLINE: {
    schema: z
      .string()
      .regex(/^([1-9]|1[0-4])s$/, 'expected 1s to 14s')
      .default('12s'),
    description:
      'Time limit of a request, 1s to 14s. After it REST replies 504 deadline_exceeded, and GraphQL fields without a result are null, with DEADLINE_EXCEEDED. Below 10s, requests also end while a slow source is still within its time budget.',
  },
  ...graphqlSettings,
  ...operationsSettings,
  QUIPU_AUDIT_KEPT: { schema: retention('400d'), description: 'Time for which entries of the audit log are kept, in days.' },
  LOG_LEVEL: {
    schema: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'silent']).optional(),
    description: 'fatal, error, warn, info, debug or silent. Without it: warn on a terminal, info otherwise.',
  },
  LOG_FORMAT: {
    schema: z.enum(['auto', 'json', 'text']).default('auto'),
    description: 'json: JSON lines. text: readable lines. auto: text on a terminal, json otherwise.',
  },
} as const;

export type Core = { readonly [name in keyof typeof CORE]: z.output<(typeof CORE)[name]['schema']> };
