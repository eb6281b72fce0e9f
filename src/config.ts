import path from 'node:path';
import { z } from 'zod';
import type { SignInSettings } from './auth/sign-in/sign-in.ts';
import { CORE, type Core, SANDBOX_KEY_SECRET } from './config/core.ts';
import { signInOf, signInProblems } from './config/sign-in.ts';
import type { GivenPlans } from './domain/plan.ts';
import { DURATION, durationMs } from './domain/time.ts';
import type { ExecutionLimits } from './metering/executions.ts';
import { modules, parts } from './modules/index.ts';
import type { CapacityOptions } from './server/limits.ts';
import type { Address, AddressSpec, SettingSpec } from './sources/source.ts';

/** A setting as shown in `--help` and the docs. */
export interface Setting {
  readonly name: string;
  readonly description: string;
  /** The default, as text; empty for none. */
  readonly fallback: string;
}

export interface Config {
  readonly port: number;
  readonly host: string;
  readonly databaseUrl: string | undefined;
  /** Address of the same database without a connection pooler. */
  readonly databaseDirectUrl: string | undefined;
  /** Address of a read replica of the same database. */
  readonly databaseReadUrl: string | undefined;
  readonly redisUrl: string | undefined;
  readonly dataDir: string;
  /** Folder of the usage journals. */
  readonly usageDir: string;
  readonly sources: 'sandbox' | 'live';
  readonly sandboxPort: number;
  readonly sandboxHost: string;
  /** Port of `/metrics`; undefined if it is off. */
  readonly metricsPort: number | undefined;
  readonly bootstrapKey: string | undefined;
  /** Secret of keyed hashes and sealed values; null if it is generated and stored in the data folder. */
  readonly keySecret: string | null;
  readonly plans: GivenPlans;
  readonly listIntervalMs: number | undefined;
  readonly logLevel: Core['LOG_LEVEL'];
  readonly logFormat: Core['LOG_FORMAT'];
  /** Networks in CIDR form. */
  readonly outboundAllow: readonly string[];
  /** URL of the proxy, possibly with credentials. */
  readonly egressProxy: string | undefined;
  /** Name servers as host:port; empty for the default. */
  readonly dnsServers: readonly string[];
  readonly newerSchema: 'refuse' | 'accept';
  readonly roles: readonly string[];
  readonly allowedOrigins: readonly string[];
  /** Networks in CIDR form. */
  readonly trustedProxies: readonly string[];
  readonly smtpUrl: string | undefined;
  readonly mailFrom: string | undefined;
  /** Public base address without a slash at its end; undefined if it is not known. */
  readonly publicUrl: string | undefined;
  /** Sign-in of people by OpenID Connect; null if they sign in with an API key only. */
  readonly signIn: SignInSettings | null;
  /** True if GraphQL introspection is allowed. */
  readonly introspection: boolean;
  /** True if a router of Apollo Federation may use the service as a subgraph. */
  readonly federation: boolean;
  /** True if the compiled executor executes queries. */
  readonly compiledExecutor: boolean;
  readonly trustedDocumentsOnly: boolean;
  readonly deadlineMs: number;
  readonly auditKeptMs: number;
  /** Number of server processes behind the port. */
  readonly workers: number;
  readonly maxConnections: number;
  readonly executionLimits: ExecutionLimits;
  /** Limits above which the process counts as overloaded. */
  readonly capacity: CapacityOptions;
  /** Maximum size of the caches in bytes; undefined for a share of the heap limit. */
  readonly cacheBytes: number | undefined;
  readonly drainMs: number;
  readonly usageKeptMs: number;
  /** URL of the collector of traces; undefined for no traces. */
  readonly otlpUrl: string | undefined;
  /** Share of traced requests, 0 to 1. */
  readonly tracedShare: number;
  /** Given URL settings of the sources; the rest follow from `sources`. */
  readonly givenAddresses: ReadonlyMap<string, string>;
  /** Other given settings of the sources and services. */
  readonly givenSettings: ReadonlyMap<string, string>;
}

/** An invalid configuration. The message names each invalid variable and contains no values. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** Returns the URL settings of all sources, each once. */
export const addressSpecs = (): ReadonlyMap<string, AddressSpec> =>
  new Map(modules.flatMap(({ sources }) => sources.flatMap(({ addresses }) => Object.entries(addresses))));

/** Returns the other settings of all sources and services, each once. */
export const settingSpecs = (): ReadonlyMap<string, SettingSpec> =>
  new Map(
    [...modules.flatMap(({ sources }) => sources), ...parts.flatMap(({ services = [] }) => services)].flatMap(({ settings = {} }) =>
      Object.entries(settings),
    ),
  );

/** Returns all settings, for `--help`, the docs and `.env.example`. */
export const settings = (): readonly Setting[] => [
  ...Object.entries(CORE).map(([name, { schema, description }]) => ({
    name,
    description,
    fallback: String(schema.safeParse(undefined).data ?? ''),
  })),
  ...[...addressSpecs()].map(([name, { description, live }]) => ({
    name,
    description,
    fallback: live ? `sandbox, or ${live}` : 'sandbox, or none',
  })),
  ...[...settingSpecs()].map(([name, { description, fallback }]) => ({ name, description, fallback })),
];

/** True in live mode on a database that several processes may share. */
const needsKeySecret = ({ QUIPU_SOURCES, DATABASE_URL, QUIPU_KEY_SECRET }: Core): boolean =>
  QUIPU_SOURCES === 'live' && DATABASE_URL !== undefined && QUIPU_KEY_SECRET === undefined;

const NO_KEY_SECRET =
  'QUIPU_KEY_SECRET: live mode with DATABASE_URL needs one, the same for all processes. Generate it once and keep it: openssl rand -hex 32';

/** Reads the configuration from the environment. @throws ConfigError naming each invalid variable */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const problems: string[] = [];
  const given = Object.fromEntries(Object.keys(CORE).map((name) => [name, env[name]?.trim() || undefined]));
  const core = z.object(Object.fromEntries(Object.entries(CORE).map(([name, { schema }]) => [name, schema]))).safeParse(given);
  if (!core.success) problems.push(...core.error.issues.map(({ path: [name], message }) => `${String(name)}: ${message}`));
  if (given.DATABASE_DIRECT_URL && !given.DATABASE_URL) problems.push('DATABASE_DIRECT_URL: needs DATABASE_URL, the address of the pooler');
  if (given.DATABASE_READ_URL && !given.DATABASE_URL) problems.push('DATABASE_READ_URL: needs DATABASE_URL, the address of the primary');
  if (core.success && needsKeySecret(core.data as Core)) problems.push(NO_KEY_SECRET);
  if (core.success) problems.push(...signInProblems(core.data as Core));
  const givenAddresses = new Map<string, string>();
  for (const [name, spec] of addressSpecs()) {
    const text = env[name]?.trim();
    if (text === undefined || (text === '' && !spec.optional)) continue;
    if (text !== '' && !isAddress(text, spec)) problems.push(`${name}: expected an http(s)${spec.base ? '' : ' or file'} URL`);
    givenAddresses.set(name, text);
  }
  const givenSettings = new Map<string, string>();
  for (const [name, { pattern, expected, range }] of settingSpecs()) {
    const text = env[name]?.trim() || undefined;
    if (text === undefined) continue;
    if (!pattern.test(text) || (range && !isWithin(text, range))) problems.push(`${name}: ${expected}`);
    givenSettings.set(name, text);
  }
  if (problems.length > 0)
    throw new ConfigError(`Wrong settings:\n${problems.map((one) => `  ${one}`).join('\n')}\nSee: npm start -- --help`);
  const value = core.data as Core;
  return Object.freeze({
    port: value.PORT,
    host: value.HOST,
    databaseUrl: value.DATABASE_URL,
    databaseDirectUrl: value.DATABASE_DIRECT_URL,
    databaseReadUrl: value.DATABASE_READ_URL,
    redisUrl: value.REDIS_URL,
    dataDir: path.resolve(value.QUIPU_DATA_DIR),
    usageDir: path.resolve(value.QUIPU_USAGE_DIR ?? path.join(value.QUIPU_DATA_DIR, 'usage')),
    sources: value.QUIPU_SOURCES,
    sandboxPort: value.QUIPU_SANDBOX_PORT,
    sandboxHost: value.QUIPU_SANDBOX_HOST,
    metricsPort: value.QUIPU_METRICS_PORT,
    bootstrapKey: value.QUIPU_BOOTSTRAP_KEY,
    keySecret: value.QUIPU_KEY_SECRET ?? (value.DATABASE_URL === undefined ? null : SANDBOX_KEY_SECRET),
    plans: value.QUIPU_PLANS ?? {},
    listIntervalMs: value.QUIPU_LIST_INTERVAL,
    logLevel: value.LOG_LEVEL,
    logFormat: value.LOG_FORMAT,
    outboundAllow: value.QUIPU_OUTBOUND_ALLOW,
    egressProxy: value.QUIPU_EGRESS_PROXY,
    newerSchema: value.QUIPU_NEWER_SCHEMA,
    roles: value.QUIPU_ROLES,
    allowedOrigins: [...value.QUIPU_ALLOWED_ORIGINS, ...(value.QUIPU_SOURCES === 'sandbox' ? ['http://localhost:*'] : [])],
    trustedProxies: value.QUIPU_TRUSTED_PROXIES,
    smtpUrl: value.QUIPU_SMTP_URL,
    mailFrom: value.QUIPU_MAIL_FROM,
    publicUrl: value.QUIPU_PUBLIC_URL?.replace(/\/$/, ''),
    signIn: signInOf(value),
    introspection: value.QUIPU_INTROSPECTION,
    federation: value.QUIPU_FEDERATION,
    compiledExecutor: value.QUIPU_COMPILED_EXECUTOR,
    trustedDocumentsOnly: value.QUIPU_TRUSTED_DOCUMENTS_ONLY,
    deadlineMs: durationMs(value.QUIPU_DEADLINE),
    auditKeptMs: durationMs(value.QUIPU_AUDIT_KEPT),
    workers: value.QUIPU_WORKERS,
    maxConnections: value.QUIPU_MAX_CONNECTIONS,
    capacity: { maxDelayMs: value.QUIPU_LOOP_DELAY, heapShare: value.QUIPU_HEAP_SHARE },
    executionLimits: { inAll: value.QUIPU_EXECUTIONS, perKey: value.QUIPU_EXECUTIONS_PER_KEY },
    cacheBytes: value.QUIPU_CACHE_BYTES,
    drainMs: durationMs(value.QUIPU_DRAIN),
    usageKeptMs: durationMs(value.QUIPU_USAGE_KEPT),
    otlpUrl: value.OTEL_EXPORTER_OTLP_ENDPOINT,
    tracedShare: value.OTEL_TRACES_SAMPLER_ARG,
    dnsServers: value.QUIPU_DNS_SERVERS,
    givenAddresses,
    givenSettings,
  });
}

/** Returns the configuration of this process. It is the only place that reads its environment. `given` overrides settings. */
export const processConfig = (given: Readonly<Record<string, string>> = {}): Config => readConfig({ ...process.env, ...given });

/** Returns the environment of this process, for programs that it starts. */
export const processEnvironment = (): Readonly<Record<string, string | undefined>> => ({ ...process.env });

/** Returns the address of a source: the configured one, or that of the sandbox or the real upstream. `sandboxUrl` is null in live mode. */
export function resolveAddress(config: Config, name: string, sandboxUrl: string | null): Address {
  const given = config.givenAddresses.get(name);
  if (given !== undefined) return { url: given, origin: 'given' };
  const spec = addressSpecs().get(name);
  if (!spec) throw new Error(`no such address setting: ${name}`);
  return sandboxUrl === null ? { url: spec.live, origin: 'live' } : { url: sandboxUrl + spec.sandbox, origin: 'sandbox' };
}

/** Returns the value of a setting of a source or service: the configured one, or the default of the sandbox or of live mode. */
export function resolveSetting(config: Config, name: string): string {
  const spec = settingSpecs().get(name);
  if (!spec) throw new Error(`no such setting: ${name}`);
  const { fallback, sandbox, sandboxUnless = [] } = spec;
  const isReplaced = sandboxUnless.some((other) => config.givenSettings.has(other) || config.givenAddresses.has(other));
  return config.givenSettings.get(name) ?? (config.sources === 'sandbox' && !isReplaced ? sandbox : undefined) ?? fallback;
}

/** Compares durations (`6h`) or numbers. */
function isWithin(text: string, [lowest, highest]: NonNullable<SettingSpec['range']>): boolean {
  const sizeOf = (value: string): number => (DURATION.test(value) ? durationMs(value) : Number(value));
  return sizeOf(text) >= sizeOf(lowest) && sizeOf(text) <= sizeOf(highest);
}

function isAddress(text: string, { base }: AddressSpec): boolean {
  const url = URL.parse(text.replace('{date}', '20260101'));
  if (url?.protocol === 'file:') return !base && url.host === '';
  return url?.protocol === 'http:' || url?.protocol === 'https:';
}
