/** A Prometheus gauge: a number that is read at each scrape. */
export interface Gauge {
  /** E.g. `quipu_change_log_position`. */
  readonly name: string;
  readonly help: string;
  /** Name of its only label, e.g. `source`. Absent for a gauge that has one value. */
  readonly labelName?: string;
  /** Reads the current values: one without a label, or one for each value of the label. */
  read(): Promise<readonly { readonly label?: string; readonly value: number }[]>;
}
