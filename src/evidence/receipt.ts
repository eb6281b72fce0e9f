import type { Mirror, SourceName } from '../domain/catalogue.ts';
import type { RegistrationStatus } from '../domain/company.ts';
import type { CheckName, Completeness, FindingCode, RiskLevel } from '../domain/compliance.ts';

/** The contribution of one source to a verdict. */
export interface ReceiptSource {
  readonly check: CheckName;
  readonly source: SourceName;
  /** The mirror of the registry that answered. It is absent for other sources, and for an absence, which both mirrors state. */
  readonly mirror?: Mirror;
  readonly outcome: 'answered' | 'failed';
  /** ISO 8601 time at which the source was read; null if it failed. */
  readonly answered_at: string | null;
  /** ISO date of the registry copy or list; null if none is stated. */
  readonly data_as_of: string | null;
  /** Publication date of the version of a list; null for a live source, and if the publisher states none. */
  readonly list_version: string | null;
  /** SHA-256 of the file of the list; null for a live source. */
  readonly checksum: string | null;
  /** SHA-256 over the canonical JSON of the findings of the check; null if it failed. */
  readonly answer_digest: string | null;
}

/** A record that the verdict relies on. Its texts are those of the source, cut to 300 characters. Members that the source lacks are null. */
export interface ReceiptFinding {
  readonly check: CheckName;
  readonly code: FindingCode;
  /** The list or registry that has the record. */
  readonly source: SourceName;
  /** Id of the party on a sanctions list; on other lists the `id` of the record in GraphQL. */
  readonly entry_id: string | null;
  /** Name of the listed party as printed. Lists of debarments are searched by tax id, and their records have no name. */
  readonly entry_name: string | null;
  /**
   * The main content of the record in the words of the source, by code: the programmes of a `match`, the penalty of a `record`, the kind of
   * a `fine`, the year of the inspection of a `listed`, the state of the registration of an `inactive`, the year of the last renewal of a
   * `not_renewed`.
   */
  readonly detail: string | null;
  /** Body that imposed the penalty. */
  readonly body: string | null;
  readonly process_id: string | null;
  /** Fine in BRL, fine of a Colombian contractor in COP, or tax debt in CLP. */
  readonly amount: number | null;
  /** ISO dates of the penalty or listing. */
  readonly starts_on: string | null;
  readonly ends_on: string | null;
  readonly status: 'active' | 'ended' | null;
  /** `root`: the record names another branch of the same legal person. */
  readonly matched_on: 'tax_id' | 'root' | null;
}

/** Number of owners of a company, without names. They change no risk level. */
export interface ReceiptOwners {
  /** All owners on record, without the natural persons of a Chilean company, who have no names. */
  readonly total: number;
  /** Owners for whom the lists have a candidate that the account has not dismissed. */
  readonly to_review: number;
  /** Those of them whose own tax id is listed, or that of another branch of the same legal person. */
  readonly by_tax_id: number;
  /** Owners without a candidate that a list could not be read for. */
  readonly not_compared: number;
}

/** The part of a receipt that its check determines. Earlier receipts lack the optional members. */
export interface ReceiptFacts {
  readonly request_id: string;
  /** Id of the API key of the request. */
  readonly api_key: string;
  /** Name of the API key at that time. */
  readonly api_key_name?: string;
  readonly company: {
    readonly country: string;
    readonly identifier: string;
    /** Legal name as the registry gives it; null if no registry answered with one. */
    readonly name?: string | null;
    /** Status of the registration; null if the registry failed. */
    readonly status?: RegistrationStatus | null;
  };
  readonly verdict: {
    readonly risk_level: RiskLevel;
    readonly completeness: Completeness;
    readonly risk_reasons: readonly string[];
    readonly sources_failed: readonly CheckName[];
    /** Version of the rules that gave the risk level: the ISO date of their last change. */
    readonly rules_version?: string;
    /** ISO 8601. */
    readonly generated_at: string;
  };
  /** The records behind the reasons, in their order, at most 100. */
  readonly findings?: readonly ReceiptFinding[];
  /** Number of records behind the reasons, also of those that `findings` has no room for. */
  readonly findings_total?: number;
  /** Null if the source of the owners failed, and for a country without this check. */
  readonly owners?: ReceiptOwners | null;
  readonly sources: readonly ReceiptSource[];
}

/** The document whose canonical JSON (RFC 8785) is hashed. */
export interface Receipt extends ReceiptFacts {
  readonly version: 1;
  /** `evd_…` */
  readonly id: string;
  /** Id of the account. */
  readonly account: string;
  /** Position in the chain of the account, from 1. */
  readonly sequence: number;
  /** `content_hash` of the previous receipt; null for the first. */
  readonly previous_hash: string | null;
  /** ISO 8601. */
  readonly issued_at: string;
}

/** A receipt with its hash and signature: what is stored, sent and verified. */
export interface SealedReceipt {
  readonly receipt: Receipt;
  /** SHA-256 of the canonical JSON of `receipt`, hexadecimal. */
  readonly content_hash: string;
  /** Ed25519 signature of the 32 bytes of the hash, in base64. */
  readonly signature: string;
  /** Id of the key that signed, which is its thumbprint (RFC 7638). */
  readonly key_id: string;
}

/** A public key as the service publishes it (JWK, RFC 8037). */
export interface PublicKey {
  readonly kty: 'OKP';
  readonly crv: 'Ed25519';
  readonly alg: 'EdDSA';
  readonly use: 'sig';
  readonly kid: string;
  /** 32 bytes, base64url. */
  readonly x: string;
  /** ISO 8601. */
  readonly created_at: string;
  /** ISO 8601 time at which the key stopped signing; null for the key in use. */
  readonly retired_at: string | null;
}
