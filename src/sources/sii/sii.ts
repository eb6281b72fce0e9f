import type { Copy, ListVersion } from '../source.ts';
import type { NameHit, NameSearch } from './store/names.ts';

/** An economic activity that a company declared. */
interface SiiActivity {
  /** Six digits of CIIU4.CL, left zeros kept; null when the registry has no code. */
  readonly code: string | null;
  readonly description: string;
}

/** A legal person in the public files of the Chilean tax registry (SII). Dates are ISO. */
export interface SiiCompany {
  /** Bare RUT, check digit included. */
  readonly rut: string;
  readonly name: string;
  /** Commercial year of the newest row (its situation on 31 December); null for a company that is only in the list of names. */
  readonly commercialYear: number | null;
  /** Start of the current activities: the earliest date in any year of the files. Null when the company never started any. */
  readonly startedOn: string | null;
  /** First registration of an activity; null when the files have none. */
  readonly firstRegisteredOn: string | null;
  /** End of all activities (término de giro); null while the company is active. */
  readonly endedOn: string | null;
  /** Kind of the end as the files have it, e.g. `TERMINO DE GIRO`; null while active. */
  readonly endKind: string | null;
  /** Sales bracket 1–13 of the newest year; 1 is "not informed". */
  readonly salesBracket: number | null;
  /** Dependent workers declared in the newest year; null when unknown, which is not zero. */
  readonly workers: number | null;
  /** Main activity. */
  readonly activity: SiiActivity | null;
  /** ISO 3166-2 code without `CL-`, e.g. `RM`; null when unknown. */
  readonly region: string | null;
  /** The region's name in usual spelling, e.g. `Metropolitana de Santiago`. */
  readonly regionName: string | null;
  readonly commune: string | null;
  /** Kind of company, e.g. `SOCIEDAD POR ACCIONES`; null when unknown. */
  readonly kind: string | null;
}

/** Result of a lookup. */
export interface SiiHits {
  readonly version: ListVersion;
  /** Epoch ms after which the data are too old to use. */
  readonly goodUntil: number;
  /** Companies by bare RUT; a RUT that is not in the registry has no entry. */
  readonly companies: ReadonlyMap<string, SiiCompany>;
  /**
   * RUTs about which a row may be that cannot be read. Whether the registry has the company is then unknown; or, if it has an entry, whether
   * its activities have ended: its other rows state no end.
   */
  readonly unread: ReadonlySet<string>;
}

/** A page of a search by name. */
interface SiiNames {
  /** The version whose names were searched: the current one, or the one before while its index is built. */
  readonly version: ListVersion;
  /** Epoch ms after which the data are too old to use. */
  readonly goodUntil: number;
  readonly hits: readonly NameHit[];
  /** True when more names contain the words than are ranked. */
  readonly isTruncated: boolean;
}

/** The Chilean tax registry: its public files, copied to Postgres and read from there. */
export interface Sii extends Copy {
  /**
   * Looks up companies by bare RUT in one SQL statement.
   * @throws AppError SOURCE_UNAVAILABLE when the files were never loaded, are too old or cannot be read
   */
  companies(ruts: readonly string[]): Promise<SiiHits>;
  /**
   * Searches companies by name, the most similar names first. Three SQL statements.
   * @throws AppError SOURCE_UNAVAILABLE as above, and until the first index of names is built
   */
  search(search: NameSearch): Promise<SiiNames>;
}
