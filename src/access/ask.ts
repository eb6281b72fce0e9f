import type { Ask, Caller, RequestContext } from '../context.ts';
import { AppError } from '../domain/errors.ts';
import type { ModuleName } from '../domain/modules.ts';
import type { Load } from '../loaders/loader.ts';
import type { Read } from '../loaders/rows.ts';
import type { Open } from '../service.ts';

/**
 * The one gate between callers and what they may have. It decides from memory and loads in the same tick: an `await` between would
 * split five hundred questions into five hundred batches.
 */
export function gateFor(
  caller: Caller,
  { load, read, open }: { readonly load: Load; readonly read: Read; readonly open: Open },
): Pick<RequestContext, 'ask' | 'read' | 'open'> {
  const pass = (module: ModuleName): void => {
    if (!caller.modules.has(module))
      throw new AppError('MODULE_NOT_ENABLED', `Module ${module} is not enabled on this API key.`, { module });
  };
  const ask: Ask = async (loader, key) => {
    pass(loader.module);
    return load(loader, key);
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
