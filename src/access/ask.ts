import type { Ask, Caller } from '../context.ts';
import { AppError } from '../domain/errors.ts';
import type { Load } from '../loaders/loader.ts';

/**
 * The one gate between callers and loaders. It decides from memory and loads in the same tick: an `await` between would
 * split five hundred questions into five hundred batches.
 */
export function askAs(caller: Caller, load: Load): Ask {
  return async (loader, key) => {
    const { module } = loader;
    if (!caller.modules.has(module)) {
      throw new AppError('MODULE_NOT_ENABLED', `Module ${module} is not enabled on this API key.`, { module });
    }
    return load(loader, key);
  };
}
