import type { Mirror, SourceName } from '../domain/catalogue.ts';
import type { CheckName, Completeness, RiskLevel } from '../domain/compliance.ts';

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

/** The part of a receipt that its check determines. */
export interface ReceiptFacts {
  readonly request_id: string;
  /** Id of the API key of the request. */
  readonly api_key: string;
  readonly company: { readonly country: string; readonly identifier: string };
  readonly verdict: {
    readonly risk_level: RiskLevel;
    readonly completeness: Completeness;
    readonly risk_reasons: readonly string[];
    readonly sources_failed: readonly CheckName[];
    /** Version of the rules that gave the risk level: the ISO date of their last change. Receipts before this member have none. */
    readonly rules_version?: string;
    /** ISO 8601. */
    readonly generated_at: string;
  };
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
