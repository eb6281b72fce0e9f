import type { CompanyKey } from '../../../domain/company.ts';
import type { SourceName } from '../../../domain/source-names.ts';
import type { FieldChange, Snapshot } from './snapshot.ts';

/** What a source said of a company: its registration, or fingerprints of the entries of a list that name it. */
export type Observation = Snapshot | readonly string[];

/** What a source says of a company now, and how it differs from what was last reported. */
export interface Finding {
  readonly company: CompanyKey;
  readonly source: SourceName;
  readonly fields: readonly FieldChange[];
  readonly observed: Observation;
}

/** Why a change is held. `share`: too many companies changed alike; `blank`: known fields became empty. */
export type HoldReason = 'share' | 'blank';

/** A change that waits for an operator. */
export interface HeldChange extends Finding {
  readonly reason: HoldReason;
  /** Epoch ms, when it was first seen. */
  readonly heldAt: number;
}
