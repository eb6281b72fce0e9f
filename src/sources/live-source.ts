import type { SourceName } from '../domain/catalogue.ts';
import { withoutTrailing } from '../domain/text.ts';
import type { GetOptions, HttpClient } from './http/client.ts';
import {
  type Address,
  type AddressSpec,
  defineSource,
  type SettingSpec,
  type Source,
  type SourceDeps,
  type SourceInstance,
  type SourceStatus,
} from './source.ts';

/** A base URL of a live source, and the setting that replaces it. */
export interface BaseUrlSpec extends Omit<AddressSpec, 'base'> {
  /** Name of the setting, e.g. `QUIPU_RDAP_BR_URL`. */
  readonly setting: string;
}

/** One HTTP API of a live source, with an HTTP client of its own: concurrency slots, retry budget, circuit breaker. */
export interface LiveApi {
  /** Base URL without a trailing slash; empty when the setting is optional and switched off. */
  readonly url: string;
  readonly origin: Address['origin'];
  /**
   * Sends GET `{url}{path}`. It must not be called while `url` is empty. `read` alone decides which answers mean absence; for every other
   * answer it throws HttpFailure.
   * @throws AppError SOURCE_UNAVAILABLE
   */
  get<T>(path: string, options: GetOptions<T>): Promise<T>;
}

/** Definition of a live source. `B`: its names for its APIs. `C`: its calls. */
export interface LiveSourceSpec<B extends string, C extends object> {
  readonly name: SourceName;
  readonly attribution: string;
  /** API name → base URL. The circuit and the last success of the first API are those of the source. */
  readonly bases: Readonly<Record<B, BaseUrlSpec>>;
  readonly settings?: Readonly<Record<string, SettingSpec>>;
  /** Returns the API that answers instead of the first one while that fails; null for none. */
  readonly standIn?: (apis: Readonly<Record<B, LiveApi>>) => LiveApi | null;
  /** Maximum number of concurrent calls per API; default 16. */
  readonly concurrency?: number;
  /** True if another source is on the same host, whose limit of concurrent calls and pauses then hold for both together. */
  readonly sharesHost?: boolean;
  /**
   * Date of the data as the source states it, ISO, null while it is not known, and the age in ms above which it is reported as the error
   * `old_data`. The source goes on answering.
   */
  readonly dataDate?: { readonly of: (calls: C) => string | null; readonly maxAgeMs: number };
  readonly calls: (
    apis: Readonly<Record<B, LiveApi>>,
    deps: Pick<SourceDeps, 'setting' | 'now' | 'log' | 'db' | 'keySecret' | 'copyReads'>,
  ) => C;
}

interface Connection {
  readonly name: string;
  readonly api: LiveApi;
  readonly client: HttpClient;
}

/** Defines a source that is called over HTTP for every answer: adds URL settings, clients, status and close to its calls. */
export const defineLiveSource = <B extends string, C extends object>(spec: LiveSourceSpec<B, C>): Source<C & SourceInstance> =>
  defineSource({
    name: spec.name,
    attribution: spec.attribution,
    addresses: Object.fromEntries(
      Object.values<BaseUrlSpec>(spec.bases).map(({ setting, ...address }) => [setting, { ...address, base: true }]),
    ),
    ...(spec.settings && { settings: spec.settings }),
    create(deps) {
      const connections = Object.entries<BaseUrlSpec>(spec.bases).map(([name, { setting }]) =>
        connect(name, deps.address(setting), spec, deps),
      );
      const apis = Object.fromEntries(connections.map(({ name, api }) => [name, api])) as Record<B, LiveApi>;
      const standIn = spec.standIn?.(apis) ?? null;
      const calls = spec.calls(apis, deps);
      return {
        ...calls,
        async status() {
          const status = statusOf(spec.name, connections, standIn);
          const { dataDate } = spec;
          return dataDate ? withDataDate(status, dataDate.of(calls), dataDate.maxAgeMs, deps.now()) : status;
        },
        async close() {
          await Promise.all(connections.map(({ client }) => client.close()));
        },
      };
    },
  });

type Limits = Pick<LiveSourceSpec<string, object>, 'concurrency' | 'sharesHost'>;

function connect(name: string, address: Address, { concurrency, sharesHost }: Limits, { http }: SourceDeps): Connection {
  const url = withoutTrailing(address.url, '/');
  const host = sharesHost ? URL.parse(url)?.origin : undefined;
  const client = http({ purpose: name, ...(concurrency !== undefined && { concurrency }), ...(host !== undefined && { host }) });
  return { name, client, api: { url, origin: address.origin, get: (path, options) => client.get(new URL(`${url}${path}`), options) } };
}

/**
 * Combines the status of all APIs. The last error is the latest one of all APIs; an error of a further API contains the API's name, e.g.
 * `second_opinion_timeout`. The source is usable while the first API or its substitute can be called.
 */
function statusOf(name: SourceName, [main, ...others]: readonly Connection[], standIn: LiveApi | null): SourceStatus {
  if (!main) throw new Error(`${name} has no base URL`);
  const health = main.client.health();
  let { lastErrorAt, lastError } = health;
  for (const { name: api, client } of others) {
    const other = client.health();
    if (other.lastErrorAt === null || other.lastErrorAt <= (lastErrorAt ?? 0)) continue;
    lastErrorAt = other.lastErrorAt;
    lastError = `${api}_${other.lastError}`;
  }
  const answering = [main, ...others.filter(({ api }) => api === standIn)];
  const usable = answering.some(({ client }) => client.health().circuit !== 'open');
  return { name, kind: 'live', origin: main.api.origin, ...health, lastErrorAt, lastError, list: null, usable };
}

/** Adds the date of the data. Data that are too old are the last error, since the time at which they became so, unless the last call failed. */
function withDataDate(status: SourceStatus, dataAsOf: string | null, maxAgeMs: number, now: number): SourceStatus {
  const isFailing = status.lastErrorAt !== null && status.lastErrorAt > (status.lastSuccessAt ?? 0);
  const oldSince = dataAsOf === null ? Number.POSITIVE_INFINITY : Date.parse(dataAsOf) + maxAgeMs;
  if (isFailing || now <= oldSince) return { ...status, dataAsOf };
  return { ...status, dataAsOf, lastErrorAt: oldSince, lastError: 'old_data' };
}
