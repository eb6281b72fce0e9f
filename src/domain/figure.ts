/** A number that operators watch. */
export interface Figure {
  /** E.g. `quipu_change_log_position`. */
  readonly name: string;
  readonly help: string;
  /** What tells its values apart, e.g. `source`; none where it is one number. */
  readonly label?: string;
  /** Its values now; `of` is the label's value. */
  read(): Promise<readonly { readonly of?: string; readonly value: number }[]>;
}
