import type { Knex } from 'knex';
import type { Logger } from 'pino';
import type { Sealer } from './db/sealer.ts';
import type { ModuleName } from './domain/catalogue.ts';
import type { Mailing } from './domain/mail.ts';
import type { Clock } from './domain/time.ts';
import type { Loaders } from './loaders/loader.ts';
import type { Rows } from './loaders/rows.ts';
import type { OutboundClient } from './sources/outbound/outbound.ts';
import type { SettingSpec, Use } from './sources/source.ts';

/** Dependencies of a service. */
export interface ServiceDeps {
  readonly db: Knex;
  readonly now: Clock;
  /** Returns a random number from 0 to 1. */
  readonly random: () => number;
  readonly log: Logger;
  /** Loaders without a caller. */
  readonly loaders: Loaders;
  readonly use: Use;
  /** Invalidates the rows in the caches of requests that a service changed. */
  readonly rows: Pick<Rows, 'forget'>;
  /** Client for the webhook hosts that customers name, with separate connection slots. */
  readonly webhooks: OutboundClient;
  /** Sends e-mails; null unless the mail server, the sender and the public address are set. */
  readonly mailing: Mailing | null;
  /** Encrypts stored secrets. Each purpose has a key of its own. */
  readonly sealerFor: (purpose: string) => Sealer;
  /** Returns the value of one of the service's own settings. */
  readonly setting: (name: string) => string;
}

/**
 * Operations besides answers: writes, streams, work of jobs. A service is built once per process. The object is the token by which `open`
 * returns it. Jobs and gauges may open every service.
 */
export interface Service<T> {
  readonly name: string;
  readonly settings?: Readonly<Record<string, SettingSpec>>;
  create(deps: ServiceDeps): T;
}

/** A service of a module. Callers use `ctx.open`, which requires `module` on their key, or one of several. */
export interface OfferedService<T> extends Service<T> {
  readonly module: ModuleName | readonly [ModuleName, ...ModuleName[]];
}

export const defineService = <T>(service: OfferedService<T>): OfferedService<T> => service;

/** Returns a service. */
export type Open = <T>(service: Service<T>) => T;

/** Dependencies of the gauges of a module. */
export type GaugeParts = Pick<ServiceDeps, 'db' | 'now'> & { readonly open: Open };

/** The services of this process. */
export interface Services {
  readonly open: Open;
  /** Closes the services that have a `close`. */
  close(): Promise<void>;
}

/** Builds each service when it is first opened. */
export function buildServices(depsOf: (service: Service<unknown>) => ServiceDeps): Services {
  const built = new Map<Service<unknown>, unknown>();
  const open: Open = <T>(service: Service<T>): T => {
    const instance = built.get(service) ?? service.create(depsOf(service));
    built.set(service, instance);
    return instance as T;
  };
  return {
    open,
    async close() {
      await Promise.all([...built.values()].map((instance) => (instance as { close?(): Promise<void> } | undefined)?.close?.()));
    },
  };
}
