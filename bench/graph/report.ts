import type { Machine } from '../harness/machine.ts';
import type { MonthImport } from './imports.ts';
import type { MeasuredQuestion } from './measure.ts';

/** Report of the benchmark `graph`. */
export interface GraphReport {
  readonly bench: 'graph';
  readonly machine: Machine;
  readonly options: { readonly rounds: number; readonly establishments: number };
  /** Bytes of the unpacked files of a month. */
  readonly monthBytes: number;
  /** The first month, and the second one beside it. */
  readonly imports: readonly [MonthImport, MonthImport];
  /** Seconds of `\copy` of the rows of the first month. */
  readonly copySeconds: number;
  readonly usesPsql: boolean;
  readonly versionBytes: number;
  readonly documents: { readonly buildSeconds: number; readonly bytes: number };
  readonly questions: readonly MeasuredQuestion[];
}
