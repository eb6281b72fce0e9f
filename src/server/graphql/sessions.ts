import type { Logger } from 'pino';
import type { Caller } from '../../context.ts';
import { AppError } from '../../domain/errors.ts';
import type { ModuleName } from '../../domain/modules.ts';
import { SECOND_MS } from '../../domain/time.ts';

/** Sockets of one process, and event streams. */
export const MAX_CONNECTIONS = 10_000;
/** Of one key, at once: sockets and event streams together. */
const SESSIONS_PER_KEY = 20;
/** Between two looks at the keys of those who are here: within 5 s a key that was taken away takes its sessions along. */
const CHECK_MS = 2 * SECOND_MS;

/** Key ids → those that still open, in one statement. */
export type StillOpen = (keyIds: readonly string[]) => Promise<ReadonlyMap<string, Caller>>;

/** A connection that stays: a socket or an event stream. */
export interface Session {
  readonly kind: 'socket' | 'stream';
  /** What its key may do now. */
  caller: Caller;
  /** Rules of what it listens to: `any_key` or a module each. */
  listensTo(): readonly unknown[];
  /** Operations under way. */
  operations(): number;
  /** Ends it: its key does not open any more, or has lost a module that it listens to. */
  dismiss(why: AppError): void;
}

/** Those who are connected, by key. What is counted is counted from these sets, so that no count can drift. */
export class Sessions {
  readonly #byKey = new Map<string, Set<Session>>();
  readonly #stillOpen: StillOpen;
  readonly #log: Logger;
  #timer: NodeJS.Timeout | undefined;

  constructor(stillOpen: StillOpen, log: Logger) {
    this.#stillOpen = stillOpen;
    this.#log = log;
  }

  /** False when the key has as many as it may have. */
  enter(session: Session): boolean {
    const { keyId } = session.caller;
    const others = this.#byKey.get(keyId) ?? new Set();
    if (others.size >= SESSIONS_PER_KEY) return false;
    this.#byKey.set(keyId, others.add(session));
    this.#timer ??= setInterval(() => void this.#check(), CHECK_MS).unref();
    return true;
  }

  leave(session: Session): void {
    const { keyId } = session.caller;
    const others = this.#byKey.get(keyId);
    others?.delete(session);
    if (others?.size === 0) this.#byKey.delete(keyId);
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

  async #check(): Promise<void> {
    try {
      const open = await this.#stillOpen([...this.#byKey.keys()]);
      for (const session of this.#all()) {
        const caller = open.get(session.caller.keyId);
        if (!caller) session.dismiss(new AppError('INVALID_API_KEY', 'This API key is not valid any more.'));
        else if (!mayListen(caller, session)) session.dismiss(new AppError('MODULE_NOT_ENABLED', 'This API key has lost the module.'));
        else session.caller = caller;
      }
    } catch (err) {
      this.#log.warn({ err }, 'the keys of open sockets cannot be checked right now');
    }
  }
}

const mayListen = ({ modules }: Caller, session: Session): boolean =>
  session.listensTo().every((rule) => rule === 'any_key' || modules.has(rule as ModuleName));
