import type { Freshness } from '../../../domain/answer.ts';
import type { SourceName } from '../../../domain/catalogue.ts';
import type { NotCheckedReason } from '../domain.ts';
import type { GraphGap, OwnershipEdge, OwnershipNode } from './graph.ts';

/** A record of a list about a company of a group, which the record names by tax id. It changes no check and no risk level. */
export interface GroupFinding {
  readonly company: OwnershipNode;
  readonly list: SourceName;
  /** Id of the party or record on the list. */
  readonly entityId: string;
  readonly entryName: string;
  /** `tax_id`: the record names this establishment. `root`: another branch of the same legal person. */
  readonly matchedOn: 'tax_id' | 'root';
  readonly programs: readonly string[];
  /** ISO dates of a penalty or listing; null if the list has none. */
  readonly startsOn: string | null;
  readonly endsOn: string | null;
  /** Edges from the requested company to this one; empty for the requested company itself. */
  readonly path: readonly OwnershipEdge[];
}

export interface GroupFindings {
  /** Nearest companies first. Null if none was found and a list was not read that should have been, because that is not a clearance. */
  readonly findings: readonly GroupFinding[] | null;
  readonly companiesChecked: number;
  readonly listsChecked: readonly SourceName[];
  readonly listsNotChecked: readonly { readonly list: SourceName; readonly reason: NotCheckedReason }[];
  /** False if the graph may lack companies. */
  readonly complete: boolean;
  readonly notSeen: readonly GraphGap[];
  readonly freshness: Freshness;
}
