import type { Gauge } from '../domain/gauge.ts';
import type { ModuleName } from '../domain/modules.ts';
import type { Job } from '../jobs/job.ts';
import type { ModuleRoute } from '../rest/route.ts';
import type { GaugeParts, Service } from '../service.ts';
import type { Source, SourceInstance } from '../sources/source.ts';

/** One folder of data: all that the server must know to serve it. */
export interface Module {
  readonly name: ModuleName;
  /** Sources whose settings, health and attribution the module answers for; a shared one may be named by several. */
  readonly sources: readonly Source<SourceInstance>[];
  /** GraphQL resolver classes. */
  readonly resolvers: readonly (abstract new () => unknown)[];
  readonly routes: readonly ModuleRoute[];
  /** Writes, streams and the work of its jobs. */
  readonly services?: readonly Service<unknown>[];
  /** Background work. */
  readonly jobs?: readonly Job[];
  /** Numbers that operators watch. */
  readonly gauges?: (parts: GaugeParts) => readonly Gauge[];
}

export const defineModule = (module: Module): Module => module;
