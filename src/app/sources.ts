import path from 'node:path';
import type { Knex } from 'knex';
import type { Logger } from 'pino';
import { type Config, resolveAddress, resolveSetting } from '../config.ts';
import { createSealer } from '../db/sealer.ts';
import type { Observer } from '../domain/observer.ts';
import type { Clock } from '../domain/time.ts';
import { modules } from '../modules/index.ts';
import { buildServices, type ServiceDeps, type Services } from '../service.ts';
import { buildSources, type Sources } from '../sources/build.ts';
import { createDns } from '../sources/dns/client.ts';
import { createHttpClient } from '../sources/http/client.ts';
import { observedHttp, observedOutbound } from '../sources/observed.ts';
import { createOutboundClient } from '../sources/outbound/client.ts';

/** The ways out: names are looked up and sites fetched where the configuration says, in the sandbox within this machine. */
function waysOut({ dnsServers, outboundAllow }: Config, { log, now, sandbox }: Omit<SourceParts, 'db'>, concurrency?: number) {
  const madeUp = dnsServers.length === 0 ? sandbox : null;
  const dns = createDns({
    servers: madeUp ? [madeUp.dns] : dnsServers,
    ...(madeUp && { origin: 'sandbox' as const }),
    // Two questions a name, and no customer's dead name server may hold up the names of others.
    ...(concurrency && { concurrency: 2 * concurrency, rests: false }),
    now,
    log,
  });
  const allow = sandbox ? [...outboundAllow, '127.0.0.0/8'] : outboundAllow;
  const ports = new Map(madeUp ? [80, 443].map((port) => [port, Number(new URL(madeUp.url).port)]) : []);
  return { dns, outbound: createOutboundClient({ dns, allow, log, ports, concurrency }) };
}

/** Facts that modules add to the report of each source. */
const sourceExtras = modules.flatMap(({ sourceExtras = {} }) => Object.entries(sourceExtras));

/** The sources of all modules, at the addresses of the configuration. */
export function sourcesOf(config: Config, parts: SourceParts): Sources {
  const { db, log, now, random, sandbox, observer } = parts;
  const { dns, outbound: way } = waysOut(config, parts);
  const outbound = observedOutbound(way, 'website', observer);
  const sources = buildSources(
    modules.flatMap((module) => module.sources),
    ({ name }) => ({
      address: (setting) => resolveAddress(config, setting, sandbox?.url ?? null),
      setting: (name) => resolveSetting(config, name),
      http: ({ concurrency = 16 } = {}) => observedHttp(createHttpClient({ source: name, concurrency, now, random, log }), name, observer),
      outbound,
      dns,
      db,
      now,
      random,
      log: log.child({ source: name }),
      tempDir: path.join(config.dataDir, 'downloads'),
    }),
    () => Promise.all(sourceExtras.map(async ([fact, count]) => [fact, await count(db)] as const)),
  );
  return {
    ...sources,
    async close() {
      await outbound.close();
      await sources.close();
    },
  };
}

/** Webhooks on the wire at once. */
const WEBHOOKS_AT_ONCE = 64;

/** The services of all modules. */
export function servicesOf(config: Config, parts: SourceParts & Pick<ServiceDeps, 'use' | 'loaders'>): Services {
  const webhooks = observedOutbound(waysOut(config, parts, WEBHOOKS_AT_ONCE).outbound, 'webhook', parts.observer);
  const services = buildServices(({ name }) => ({
    ...parts,
    webhooks,
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

/** Where the running sandbox is. */
export interface SandboxAddress {
  /** Base of every simulated upstream. */
  readonly url: string;
  /** Its name server, host:port. */
  readonly dns: string;
}

interface SourceParts {
  readonly now: Clock;
  /** 0 to 1. */
  readonly random: () => number;
  readonly log: Logger;
  readonly db: Knex;
  /** Null in live mode. */
  readonly sandbox: SandboxAddress | null;
  readonly observer?: Observer | undefined;
}
