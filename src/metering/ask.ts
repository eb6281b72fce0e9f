import type { Ask, Caller, RequestContext } from '../context.ts';
import type { Answer } from '../domain/answer.ts';
import type { ModuleName } from '../domain/catalogue.ts';
import { AppError } from '../domain/errors.ts';
import type { Load, Offered, Read } from '../loaders/loader.ts';
import type { Open } from '../service.ts';

export interface AskDeps {
  readonly load: Load;
  readonly read: Read;
  readonly open: Open;
  /** All calls of one tick settle together. @throws AppError RATE_LIMITED */
  readonly checkRateLimit: (module: ModuleName) => Promise<void>;
  /** @throws AppError SERVICE_UNAVAILABLE */
  readonly recordUsage: (module: ModuleName, loadKey: string) => Promise<void>;
}

/** @throws AppError MODULE_NOT_ENABLED when the caller's key does not have the module */
export function requireModule(caller: Caller, module: ModuleName): void {
  if (!caller.modules.has(module)) throw new AppError('MODULE_NOT_ENABLED', `Module ${module} is not enabled on this API key.`, { module });
}

/**
 * What a caller may reach: every call first checks the module on the caller's key. `ask` then checks the rate limit, loads, and
 * records usage before it returns an answer that counts. Equal questions of one request are one: one load, one usage record.
 * Questions of one tick are loaded in one tick, otherwise five hundred questions would make five hundred batches.
 */
export function createAsk(
  caller: Caller,
  { load, read, open, checkRateLimit, recordUsage }: AskDeps,
): Pick<RequestContext, 'ask' | 'read' | 'open' | 'uses'> {
  const uses = { modules: new Set<ModuleName>(), counted: new Map<ModuleName, number>(), hasOpened: false };
  const useModule = (module: ModuleName) => {
    requireModule(caller, module);
    uses.modules.add(module);
  };
  const answers = new Map<string, Promise<Answer<unknown>>>();

  async function answerTo<K, V>(loader: Offered<K, V>, key: K, loadKey: string): Promise<Answer<V>> {
    if (loader.included) return load(loader, key);
    await checkRateLimit(loader.module);
    const answer = await load(loader, key);
    if (loader.counts?.(answer.value) ?? true) {
      await recordUsage(loader.module, loadKey);
      uses.counted.set(loader.module, (uses.counted.get(loader.module) ?? 0) + 1);
    }
    return answer;
  }

  const ask: Ask = async <K, V>(loader: Offered<K, V>, key: K) => {
    useModule(loader.module);
    const loadKey = `${loader.name} ${loader.key(key)}`;
    const answer = answers.get(loadKey) ?? answerTo(loader, key, loadKey);
    answers.set(loadKey, answer);
    return answer as Promise<Answer<V>>;
  };
  return {
    uses,
    ask,
    read: async (loader, key) => {
      useModule(loader.module);
      return read(loader, key);
    },
    open: (service) => {
      useModule(service.module);
      uses.hasOpened = true;
      return open(service);
    },
  };
}
