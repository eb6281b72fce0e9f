import type { Knex } from 'knex';
import type { Logger } from 'pino';
import type { Sealer } from './db/sealer.ts';
import type { ModuleName } from './domain/catalogue.ts';
import type { Clock } from './domain/time.ts';
import type { Loaders } from './loaders/loader.ts';
import type { Rows } from './loaders/rows.ts';
import type { OutboundClient } from './sources/outbound/outbound.ts';
import type { SettingSpec, Use } from './sources/source.ts';

/** What a service is built from. */
export interface ServiceDeps {
  readonly db: Knex;
  readonly now: Clock;
  /** 0 to 1. */
  readonly random: () => number;
  readonly log: Logger;
  /** Loads without a caller. */
  readonly loaders: Loaders;
  readonly use: Use;
  /** Voids what requests have cached of rows that a service changed. */
  readonly rows: Pick<Rows, 'forget'>;
  /** Client for the webhook hosts that customers name, with connection slots of its own. */
  readonly webhooks: OutboundClient;
  /** Encrypts stored secrets. Each purpose has a key of its own. */
  readonly sealerFor: (purpose: string) => Sealer;
  /** Value of one of the service's own settings. */
  readonly setting: (name: string) => string;
}

/**
 * Work besides answers: writes, streams, work of jobs. Built once a process. The object is the token by which `open` reaches it. Jobs and
 * gauges reach every service.
 */
export interface Service<T> {
  readonly name: string;
  readonly settings?: Readonly<Record<string, SettingSpec>>;
  create(deps: ServiceDeps): T;
}

/** A service of a module. Callers reach it through `ctx.open`, which asks for `module` on their key. */
export interface OfferedService<T> extends Service<T> {
  readonly module: ModuleName;
}

export const defineService = <T>(service: OfferedService<T>): OfferedService<T> => service;

/** Reaches a service. */
export type Open = <T>(service: Service<T>) => T;

/** What the gauges of a module are read from. */
export type GaugeParts = Pick<ServiceDeps, 'db' | 'now'> & { readonly open: Open };

/** The services of this process. */
export interface Services {
  readonly open: Open;
  /** Ends those that can be ended (`close`). */
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
