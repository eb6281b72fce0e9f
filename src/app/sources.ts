import path from 'node:path';
import type { Knex } from 'knex';
import type { Logger } from 'pino';
import { limitName, SharedLimits } from '../cache/shared-limits.ts';
import { addressSpecs, type Config, resolveAddress, resolveSetting } from '../config.ts';
import type { CopyReads } from '../db/read-replica.ts';
import { createSealer } from '../db/sealer.ts';
import type { Clock } from '../domain/time.ts';
import { modules } from '../modules/index.ts';
import { type Observer, withSpan } from '../observer.ts';
import { buildServices, type ServiceDeps, type Services } from '../service.ts';
import { buildSources, type Sources } from '../sources/build.ts';
import type { CallHours } from '../sources/call-hours/recorder.ts';
import { createDns } from '../sources/dns/client.ts';
import { createHttpClient, type HttpClient } from '../sources/http/client.ts';
import { createHosts } from '../sources/http/host-limits.ts';
import { CIRCUIT_RULES } from '../sources/http/policy.ts';
import { createOutboundClient, type OutboundOptions } from '../sources/outbound/client.ts';
import { readEgressProxy } from '../sources/outbound/egress-proxy.ts';
import type { OutboundClient } from '../sources/outbound/outbound.ts';
import type { Source, SourceInstance } from '../sources/source.ts';
import type { ConfigWithSecret } from './data-folder.ts';
import { mailingOf } from './mailing.ts';

/** Creates the clients for DNS and for hosts that callers name. In the sandbox both stay on this machine. */
function outboundClients(
  { dnsServers, outboundAllow, egressProxy }: Config,
  { log, now, sandbox, callHours }: Omit<SourceParts, 'db'>,
  { concurrency, failureMessage }: Pick<OutboundOptions, 'concurrency' | 'failureMessage'> = {},
) {
  const simulated = dnsServers.length === 0 ? sandbox : null;
  const dns = createDns({
    servers: simulated ? [simulated.dns] : dnsServers,
    ...(simulated && { origin: 'sandbox' as const }),
    // Each name needs two queries. There is no circuit breaker, so that one customer's failed name server does not delay others.
    ...(concurrency && { concurrency: 2 * concurrency, rests: false }),
    onCall: callHours?.of('dns'),
    now,
    log,
  });
  const allow = sandbox ? [...outboundAllow, '127.0.0.0/8'] : outboundAllow;
  const ports = new Map(simulated ? [80, 443].map((port) => [port, Number(new URL(simulated.url).port)]) : []);
  const proxy = egressProxy && !sandbox ? readEgressProxy(egressProxy) : null;
  return { dns, outbound: createOutboundClient({ dns, allow, log, ports, proxy, concurrency, failureMessage }) };
}

/** Counts that modules add to the report of each source. */
const sourceExtras = modules.flatMap(({ sourceExtras = {} }) => Object.entries(sourceExtras));

/** Creates the sources of all modules, at the addresses of the configuration. */
export function sourcesOf(config: Config, parts: SourceParts): Sources {
  const { db, copyReads, log, now, random, sandbox, observer, limits, callHours } = parts;
  const { dns, outbound: client } = outboundClients(config, parts);
  const outbound = observedOutbound(client, 'website', observer);
  const addressOf = (setting: string) => resolveAddress(config, setting, sandbox?.url ?? null);
  const urlsOf = ({ addresses }: Source<SourceInstance>) => Object.keys(addresses).map((setting) => addressOf(setting).url);
  const hostLimits = createHosts();
  const sources = buildSources(
    modules.flatMap((module) => module.sources),
    (source) => ({
      address: addressOf,
      setting: (name) => resolveSetting(config, name),
      http: ({ concurrency = 16, purpose = '', host } = {}) => {
        const circuit = limits?.circuit(limitName('circuit', source.name, purpose, ...urlsOf(source)), CIRCUIT_RULES);
        const shared = host === undefined ? undefined : hostLimits(host, concurrency);
        const onCall = callHours?.of(source.name);
        const client = createHttpClient({ source: source.name, concurrency, circuit, host: shared, now, random, log, onCall });
        return observedHttp(client, source.name, observer);
      },
      limits,
      outbound,
      dns,
      db,
      keySecret: config.keySecret,
      copyReads,
      now,
      random,
      log: log.child({ source: source.name }),
      tempDir: path.join(config.dataDir, 'downloads'),
    }),
    () => Promise.all(sourceExtras.map(async ([fact, count]) => [fact, await count(db)] as const)),
    config.listIntervalMs,
  );
  return {
    ...sources,
    async close() {
      await outbound.close();
      await sources.close();
    },
  };
}

/** Returns the origin of the answers of live sources. Processes share answers only if this text is equal. */
export const originOfAnswers = (config: Config, sandbox: SandboxAddress | null): string =>
  JSON.stringify([
    config.sources,
    sandbox,
    config.dnsServers,
    [...addressSpecs().keys()].map((name) => resolveAddress(config, name, sandbox?.url ?? null).url),
    modules
      .flatMap(({ sources }) => sources.flatMap(({ settings = {} }) => Object.keys(settings)))
      .map((name) => resolveSetting(config, name)),
  ]);

/** Creates the limits over all processes; undefined without Redis. */
export const limitsOf = ({ redisUrl }: Pick<Config, 'redisUrl'>, log: Logger): SharedLimits | undefined =>
  redisUrl === undefined ? undefined : new SharedLimits({ redisUrl, log });

/** Options of webhook requests: their concurrency, and the log line of a failed one. */
const WEBHOOKS = { concurrency: 64, failureMessage: 'a webhook was not delivered' } as const;

/** Creates the services of all modules. */
export function servicesOf(config: ConfigWithSecret, parts: SourceParts & Pick<ServiceDeps, 'use' | 'loaders' | 'rows'>): Services {
  const webhooks = observedOutbound(outboundClients(config, parts, WEBHOOKS).outbound, 'webhook', parts.observer);
  const mailing = mailingOf(config, parts.sandbox);
  const services = buildServices(({ name }) => ({
    ...parts,
    webhooks,
    mailing,
    sealerFor: (purpose) => createSealer(config.keySecret, `quipu ${purpose}`),
    setting: (setting) => resolveSetting(config, setting),
    log: parts.log.child({ service: name }),
  }));
  return {
    ...services,
    async close() {
      await services.close();
      await webhooks.close();
    },
  };
}

/** Addresses of the running sandbox. */
export interface SandboxAddress {
  /** Base of every simulated upstream. */
  readonly url: string;
  /** Address of its name server, host:port. */
  readonly dns: string;
}

export interface SourceParts {
  readonly now: Clock;
  /** Returns a random number from 0 to 1. */
  readonly random: () => number;
  readonly log: Logger;
  readonly db: Knex;
  readonly copyReads?: CopyReads | undefined;
  /** Address of the sandbox; null in live mode. */
  readonly sandbox: SandboxAddress | null;
  readonly limits?: SharedLimits | undefined;
  readonly observer?: Observer | undefined;
  /** Records the calls of sources; undefined in a command. */
  readonly callHours?: Pick<CallHours, 'of'> | undefined;
}

/** Wraps every call of a source's HTTP client in a span. */
function observedHttp(client: HttpClient, name: string, observer: Observer | undefined): HttpClient {
  if (!observer) return client;
  return {
    get: (url, options) => withSpan(observer, { kind: 'call', name }, () => client.get(url, options)),
    health: () => client.health(),
    close: () => client.close(),
  };
}

/** Wraps every request of an outbound client in a span. `name` is the purpose, e.g. `webhook`. */
function observedOutbound(client: OutboundClient, name: string, observer: Observer | undefined): OutboundClient {
  if (!observer) return client;
  return {
    ...client,
    request: (request) => withSpan(observer, { kind: 'call', name }, () => client.request(request), outcomeOfStatus),
  };
}

const outcomeOfStatus = ({ status }: { readonly status: number }): string => (status < 300 ? 'ok' : `status_${Math.floor(status / 100)}xx`);
