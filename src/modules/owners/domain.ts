import { AppError } from '../../domain/errors.ts';

/** One registered owner or officer. */
export interface Owner {
  readonly name: string;
  /** The registry's term for the role, e.g. `Sócio-Administrador`. */
  readonly role: string;
  readonly entityType: 'individual' | 'company';
  /** Masked CPF (`***456789**`) for an individual, full CNPJ for a company; null for most foreigners. */
  readonly identifier: string | null;
  /** ISO date. */
  readonly entryDate: string | null;
  /** Country of a foreign owner, in the registry's words; null for Brazilian residents. */
  readonly country: string | null;
  /** For company owners only. */
  readonly legalRepName: string | null;
  readonly legalRepRole: string | null;
}

/** The registered owners and officers of a company; empty when the registry has none. */
export interface Owners {
  readonly companyName: string;
  readonly owners: readonly Owner[];
  readonly source: 'receita_federal';
}

/** The owners of a company that is not in the registry: the registry answered, and has no owners of it. */
export const NO_OWNERS: Owners = { companyName: '', owners: [], source: 'receita_federal' };

/** Creates the error for a company that is not in the registry: on `/v1`, that is not an answer. */
export const companyNotFound = (): AppError => new AppError('COMPANY_NOT_FOUND', 'The tax registry has no company with this CNPJ.');

/** A company of an ownership graph. `depth` counts the steps from the requested company (0). */
export interface OwnershipNode {
  readonly taxId: string;
  /** Null where it was not looked up (past the depth, or its source failed). */
  readonly name: string | null;
  readonly depth: number;
}

/** One company owning another, both by bare CNPJ. */
export interface OwnershipEdge {
  readonly owner: string;
  readonly owned: string;
  readonly role: string;
}

/** Companies that own a company, directly or through other companies. The edge that closes a cycle is included and not followed. */
export interface OwnershipGraph {
  readonly nodes: readonly OwnershipNode[];
  readonly edges: readonly OwnershipEdge[];
  /** False when the graph stops at the depth, the size limit or a failed source. */
  readonly complete: boolean;
}
