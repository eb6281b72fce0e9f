import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import type { Authenticator } from '../../auth/authenticate.ts';
import { type Lease, limitName, type SharedLimits } from '../../cache/shared-limits.ts';
import type { Caller } from '../../context.ts';
import type { Gauge } from '../../db/gauges.ts';
import type { ModuleName } from '../../domain/catalogue.ts';
import { AppError } from '../../domain/errors.ts';
import { SECOND_MS } from '../../domain/time.ts';
import { requestMessages } from '../../messages/requests.ts';
import { sessionEnded } from '../person.ts';

/** Maximum number of WebSockets of one process, and of its event streams. */
export const MAX_CONNECTIONS = 10_000;
/** Maximum number of concurrent sessions of one key or person, WebSockets and event streams together, over all processes that share a Redis. */
const MAX_SESSIONS_PER_KEY = 20;
/** Interval at which the secrets of open sessions are checked. The sessions of an ended secret or a revoked key are closed within 5 s. */
const KEY_CHECK_MS = 2 * SECOND_MS;

/** An authenticated long-lived connection: a WebSocket or an event stream. */
export interface Session {
  readonly kind: 'socket' | 'stream';
  /** The secret of the session, and the current permissions of its key. Each key check updates them. */
  caller: Caller;
  /** Access rules of its running subscriptions: `any_key` or a module each. */
  accessRules(): readonly unknown[];
  /** Number of running operations. */
  operations(): number;
  /** Closes the session, because its secret or key is not valid any more, or the key has lost a module that a subscription needs. */
  close(reason: AppError): void;
}

/** Open sessions by key or person. Counts are computed from these sets, so they cannot drift. */
export class Sessions {
  readonly #byKey = new Map<string, Set<Session>>();
  readonly #authenticator: Pick<Authenticator, 'stillValid'>;
  readonly #limits: SharedLimits | undefined;
  readonly #leases = new WeakMap<Session, Lease>();
  readonly #log: Logger;
  #timer: NodeJS.Timeout | undefined;

  /** @param limits limits over all processes; without them, and while Redis is unavailable, each process counts its own sessions */
  constructor(authenticator: Pick<Authenticator, 'stillValid'>, log: Logger, limits?: SharedLimits) {
    this.#authenticator = authenticator;
    this.#limits = limits;
    this.#log = log;
  }

  /**
   * Adds a session. Returns false when the key has reached its maximum. The caller must remove a session whose connection was closed
   * meanwhile.
   */
  async add(session: Session): Promise<boolean> {
    const owner = ownerOf(session.caller);
    const lease = await this.#limits?.lease(limitName('sessions', owner), MAX_SESSIONS_PER_KEY);
    if (typeof lease === 'number') return false;
    const others = this.#byKey.get(owner) ?? new Set();
    if (others.size >= MAX_SESSIONS_PER_KEY) {
      lease?.end();
      return false;
    }
    if (lease) this.#leases.set(session, lease);
    this.#byKey.set(owner, others.add(session));
    this.#timer ??= setInterval(() => void this.#checkKeys(), KEY_CHECK_MS).unref();
    return true;
  }

  remove(session: Session): void {
    this.#leases.get(session)?.end();
    const owner = ownerOf(session.caller);
    const others = this.#byKey.get(owner);
    others?.delete(session);
    if (others?.size === 0) this.#byKey.delete(owner);
    if (this.#byKey.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  count(kind: Session['kind']): number {
    return this.#all().filter((session) => session.kind === kind).length;
  }

  operations(): number {
    return this.#all().reduce((sum, session) => sum + session.operations(), 0);
  }

  #all(): readonly Session[] {
    return [...this.#byKey.values()].flatMap((sessions) => [...sessions]);
  }

  async #checkKeys(): Promise<void> {
    try {
      const secretHashes = new Set(this.#all().map(({ caller }) => caller.secretHash));
      const callers = await this.#authenticator.stillValid([...secretHashes]);
      for (const session of this.#all()) {
        const caller = callers.get(session.caller.secretHash);
        if (!caller && !secretHashes.has(session.caller.secretHash)) continue; // the session was opened during the check
        if (!caller) session.close(session.caller.person ? sessionEnded() : keyEnded());
        else if (!isAllowed(caller, session)) session.close(new AppError('MODULE_NOT_ENABLED', requestMessages.moduleRemoved()));
        else session.caller = caller;
      }
    } catch (err) {
      this.#log.warn({ err }, 'keys of open sessions cannot be checked');
    }
  }
}

/** The key, or the person who acts through it, because the people of an account share its key. */
const ownerOf = ({ keyId, person }: Caller): string => person?.id ?? keyId;

const keyEnded = () => new AppError('INVALID_API_KEY', requestMessages.keyNoLongerValid());

const isAllowed = ({ modules }: Caller, session: Session): boolean =>
  session.accessRules().every((rule) => rule === 'any_key' || modules.has(rule as ModuleName));

/** Long-lived connections of this process. */
export interface ConnectionCounts {
  /** Open WebSockets, including those before connection_init. */
  readonly sockets: number;
  readonly streams: number;
  /** Running operations of sockets and streams. */
  readonly operations: number;
}

declare module 'fastify' {
  interface FastifyInstance {
    connectionCounts(): ConnectionCounts;
  }
}

/** Gauges of long-lived connections. */
export const connectionGauges = ({ connectionCounts }: Pick<FastifyInstance, 'connectionCounts'>): readonly Gauge[] => [
  {
    name: 'quipu_live_sessions',
    help: 'Open WebSockets and event streams (SSE) of this process.',
    labelName: 'transport',
    read: async () => [
      { label: 'websocket', value: connectionCounts().sockets },
      { label: 'sse', value: connectionCounts().streams },
    ],
  },
  {
    name: 'quipu_live_operations',
    help: 'Running operations on sockets and event streams.',
    read: async () => [{ value: connectionCounts().operations }],
  },
];
