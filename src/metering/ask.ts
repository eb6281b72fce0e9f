import type { Caller, RequestContext } from '../context.ts';
import { type Answer, type Awaitable, whenKnown } from '../domain/answer.ts';
import type { ModuleName } from '../domain/catalogue.ts';
import { AppError } from '../domain/errors.ts';
import type { Offered, ScopedLoad } from '../loaders/loader.ts';
import type { Read } from '../loaders/rows.ts';
import { requestMessages } from '../messages/requests.ts';
import type { Open } from '../service.ts';

/** The `uses` of a request context, to which `ask` adds. */
export interface RequestUses {
  readonly modules: Set<ModuleName>;
  readonly counted: Map<ModuleName, number>;
  hasOpened: boolean;
}

export interface AskDeps {
  readonly load: ScopedLoad;
  readonly uses: RequestUses;
  readonly read: Read;
  readonly open: Open;
  /** Checks the rate limit. All calls of one tick settle together. @throws AppError RATE_LIMITED */
  readonly checkRateLimit: (module: ModuleName) => Awaitable<void>;
  /** Counts an answer. The execution waits until it is written. @throws AppError SERVICE_UNAVAILABLE */
  readonly recordUsage: (module: ModuleName, loadKey: string) => void;
}

/** @throws AppError MODULE_NOT_ENABLED when the caller's key does not have the module */
export function requireModule(caller: Caller, module: ModuleName): void {
  if (!caller.modules.has(module)) throw new AppError('MODULE_NOT_ENABLED', requestMessages.moduleNotEnabled({ module }), { module });
}

/**
 * Creates the access of a caller to loaders. Every call first checks that the caller's key has the module. `ask` then checks the rate
 * limit, loads, and records usage before it returns an answer that counts. Equal calls of one request share one load and one usage record.
 * Calls of one tick are loaded in one tick; otherwise five hundred calls would make five hundred batches. An answer in memory is returned
 * without a promise.
 */
export function createAsk(
  caller: Caller,
  { load, uses, read, open, checkRateLimit, recordUsage }: AskDeps,
): Pick<RequestContext, 'ask' | 'isKept' | 'read' | 'open'> {
  const enterModule = (needed: ModuleName | readonly [ModuleName, ...ModuleName[]]) => {
    const module = typeof needed === 'string' ? needed : (needed.find((one) => caller.modules.has(one)) ?? needed[0]);
    requireModule(caller, module);
    uses.modules.add(module);
  };
  const answers = new Map<string, Awaitable<Answer<unknown>>>();

  function answerTo<K, V>(loader: Offered<K, V>, key: K, loadKey: string): Awaitable<Answer<V>> {
    if (loader.included) return load(loader, key);
    const loaded = whenKnown(checkRateLimit(loader.module), () => load(loader, key));
    return whenKnown(loaded, (answer) => (loader.counts?.(answer.value) === false ? answer : counted(loader.module, answer, loadKey)));
  }

  function counted<V>(module: ModuleName, answer: Answer<V>, loadKey: string): Answer<V> {
    recordUsage(module, loadKey);
    uses.counted.set(module, (uses.counted.get(module) ?? 0) + 1);
    return answer;
  }

  function ask<K, V>(loader: Offered<K, V>, key: K): Awaitable<Answer<V>> {
    try {
      enterModule(loader.module);
      const loadKey = `${loader.name} ${loader.key(key)}`;
      const known = answers.get(loadKey) as Awaitable<Answer<V>> | undefined;
      if (known) return known;
      const answer = answerTo(loader, key, loadKey);
      answers.set(loadKey, answer);
      return answer;
    } catch (error) {
      return Promise.reject(error);
    }
  }
  return {
    ask,
    isKept: load.isKept,
    read: async (loader, key) => {
      enterModule(loader.module);
      return read(loader, key);
    },
    open: (service) => {
      enterModule(service.module);
      uses.hasOpened = true;
      return open(service);
    },
  };
}
