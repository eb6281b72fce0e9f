import type { AccountData } from '../auth/accounts/erasure.ts';
import type { Gauge } from '../db/gauges.ts';
import type { ModuleName } from '../domain/catalogue.ts';
import type { CompanyNameSource } from '../graphql/company-name.ts';
import type { Job } from '../jobs/job.ts';
import type { ModuleRoute, PublicPage, WebhookEvent } from '../rest/route.ts';
import type { GaugeParts, Open, Service } from '../service.ts';
import type { CountBySource } from '../sources/build.ts';
import type { Source, SourceInstance } from '../sources/source.ts';

/** One module: the parts from which the server, the CLI and the generated schemas are built. */
export interface Module {
  readonly name: ModuleName;
  /** Sources that the module uses. Settings, health and attribution follow from them; several modules may share a source. */
  readonly sources: readonly Source<SourceInstance>[];
  /** GraphQL resolver classes. */
  readonly resolvers: readonly (abstract new () => unknown)[];
  /** A source of `Company.name`, for keys with the module. */
  readonly companyName?: CompanyNameSource;
  readonly routes: readonly ModuleRoute[];
  /** Webhooks that the module sends. */
  readonly webhooks?: readonly WebhookEvent[];
  /** Services for writes, streams and jobs. */
  readonly services?: readonly Service<unknown>[];
  /** Background jobs. */
  readonly jobs?: readonly Job[];
  /** Access to the data that the module stores about accounts, for their export and erasure. */
  readonly accountData?: AccountData;
  /** Facts about sources that only this module knows: name of the fact → its count per source name, read for each report. */
  readonly sourceExtras?: Readonly<Record<string, CountBySource>>;
  /** JSON documents that anyone may read without an API key, by path. They must be cached, because a request may not cost a statement. */
  readonly publicDocuments?: Readonly<Record<`/.well-known/${string}`, (open: Open) => Promise<unknown>>>;
  /** Pages for people who have a link, without an API key. */
  readonly publicPages?: readonly PublicPage[];
  /** Numbers that operators watch. */
  readonly gauges?: (parts: GaugeParts) => readonly Gauge[];
}

/** Services, jobs, gauges and data of accounts of a module, or of an engine that modules share. */
export type Part = Pick<Module, 'services' | 'jobs' | 'gauges' | 'accountData'>;

export const defineModule = (module: Module): Module => module;
