import type { Ask, Caller, RequestContext } from '../context.ts';
import type { Answer } from '../domain/answer.ts';
import { AppError } from '../domain/errors.ts';
import type { ModuleName } from '../domain/modules.ts';
import type { Load, Offered } from '../loaders/loader.ts';
import type { Read } from '../loaders/rows.ts';
import type { Open } from '../service.ts';

export interface GateParts {
  readonly load: Load;
  readonly read: Read;
  readonly open: Open;
  /** Settles at once for all who ask in one tick. @throws AppError RATE_LIMITED */
  readonly admit: (module: ModuleName) => Promise<void>;
  /** @throws AppError SERVICE_UNAVAILABLE */
  readonly count: (module: ModuleName, question: string) => Promise<void>;
}

/**
 * The one gate between callers and what they may have. Questions of one tick are loaded in one tick, too: otherwise five hundred
 * questions would make five hundred batches. An answer that counts is counted before it is given; equal questions are one.
 */
export function gateFor(caller: Caller, { load, read, open, admit, count }: GateParts): Pick<RequestContext, 'ask' | 'read' | 'open'> {
  const answers = new Map<string, Promise<Answer<unknown>>>();

  const pass = (module: ModuleName): void => {
    if (!caller.modules.has(module))
      throw new AppError('MODULE_NOT_ENABLED', `Module ${module} is not enabled on this API key.`, { module });
  };

  async function answer<K, V>(loader: Offered<K, V>, key: K, question: string): Promise<Answer<V>> {
    await admit(loader.module);
    const found = await load(loader, key);
    if (loader.counts?.(found.value) ?? true) await count(loader.module, question);
    return found;
  }

  const ask: Ask = async <K, V>(loader: Offered<K, V>, key: K) => {
    pass(loader.module);
    const question = `${loader.name} ${loader.key(key)}`;
    const asked = answers.get(question) ?? answer(loader, key, question);
    answers.set(question, asked);
    return asked as Promise<Answer<V>>;
  };
  return {
    ask,
    read: async (loader, key) => {
      pass(loader.module);
      return read(loader, key);
    },
    open: (service) => {
      pass(service.module);
      return open(service);
    },
  };
}
