import type { Copy } from '../copy.ts';
import type { ListVersion } from '../source.ts';

/** One economic activity that a company declared. */
interface SiiActivity {
  /** Six digits of CIIU4.CL, left zeros kept; null where the registry names none. */
  readonly code: string | null;
  readonly description: string;
}

/** A legal person as the public files of the Chilean tax registry (SII) have it. Dates are ISO. */
export interface SiiCompany {
  /** Bare RUT, check digit included. */
  readonly rut: string;
  readonly name: string;
  /** Commercial year of the newest row (its situation on 31 December); null for a company that only the list of names has. */
  readonly commercialYear: number | null;
  /** Start of the activities in force; the earliest that any year of the files states. Null when it never started. */
  readonly startedOn: string | null;
  /** First inscription of an activity, where stated. */
  readonly firstRegisteredOn: string | null;
  /** End of all activities (término de giro); null while they go on. */
  readonly endedOn: string | null;
  /** As printed, e.g. `TERMINO DE GIRO`; null while active. */
  readonly endKind: string | null;
  /** Sales bracket 1–13 of the newest year; 1 is "not informed". */
  readonly salesBracket: number | null;
  /** Dependent workers declared in the newest year; null when unknown, which is not zero. */
  readonly workers: number | null;
  /** Main activity. */
  readonly activity: SiiActivity | null;
  /** ISO 3166-2 code without `CL-`, e.g. `RM`; null when unknown. */
  readonly region: string | null;
  /** The region's name as people write it, e.g. `Metropolitana de Santiago`. */
  readonly regionName: string | null;
  readonly commune: string | null;
  /** E.g. `SOCIEDAD POR ACCIONES`; null when unknown. */
  readonly kind: string | null;
}

/** What a look-up found. */
interface SiiHits {
  readonly version: ListVersion;
  /** Epoch ms after which this must not be relied on. */
  readonly goodUntil: number;
  /** By bare RUT; a RUT that the registry does not have is missing. */
  readonly companies: ReadonlyMap<string, SiiCompany>;
}

/** The Chilean tax registry: its public files, copied to Postgres. */
export interface Sii extends Copy {
  /**
   * Bare RUTs → what the registry has of them, in one SQL statement.
   * @throws AppError SOURCE_UNAVAILABLE when the files were never loaded, are overdue or cannot be read
   */
  companies(ruts: readonly string[]): Promise<SiiHits>;
}
