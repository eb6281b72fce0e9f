import { type CacheMemory, createCacheMemory } from '../cache/memory.ts';
import type { SharedCache } from '../cache/shared.ts';
import { createLoaders, type Loaders } from '../loaders/loader.ts';
import { createRows, type Rows } from '../loaders/rows.ts';
import type { Open } from '../service.ts';
import type { Sources } from '../sources/build.ts';
import type { ConfigWithSecret } from './data-folder.ts';
import { type SourceParts, servicesOf, sourcesOf } from './sources.ts';

/** The parts that answer requests and do background work, in a server and in a command. */
export interface AppServices {
  readonly sources: Sources;
  /** Memory of all caches of the loaders. */
  readonly memory: CacheMemory;
  readonly loaders: Loaders;
  readonly rows: Rows;
  readonly open: Open;
  /** Stops them in the reverse order. If one fails, the others are stopped, too. */
  close(): Promise<void>;
}

/** Creates the sources of all modules, the loaders that read them, and the services that use the loaders. None of them is started. */
export function createServices(
  config: ConfigWithSecret,
  { shared, ...parts }: SourceParts & { readonly shared?: SharedCache | undefined },
): AppServices {
  const sources = sourcesOf(config, parts);
  const memory = createCacheMemory(config.cacheBytes);
  const loaders = createLoaders(sources.use, parts.now, { memory, shared, observer: parts.observer });
  const rows = createRows(parts);
  const services = servicesOf(config, { ...parts, use: sources.use, loaders, rows });
  return {
    sources,
    memory,
    loaders,
    rows,
    open: services.open,
    async close() {
      try {
        await services.close();
      } finally {
        await rows.close().finally(() => sources.close());
      }
    },
  };
}
