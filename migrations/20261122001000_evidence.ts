import type { Knex } from 'knex';

/** Receipts of consolidated checks: a signed chain per account. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE evidence_chains (
      account_id uuid PRIMARY KEY REFERENCES accounts,
      length bigint NOT NULL,
      head_hash bytea
    );
    COMMENT ON TABLE evidence_chains IS 'The end of the chain of each account. Its row lock orders the writers of all processes.';
    COMMENT ON COLUMN evidence_chains.head_hash IS 'content hash of the last receipt; null before the first';

    CREATE TABLE evidence_receipts (
      id uuid PRIMARY KEY,
      account_id uuid NOT NULL REFERENCES accounts,
      sequence bigint NOT NULL,
      issued_at timestamptz NOT NULL,
      sealed text NOT NULL,
      UNIQUE (account_id, sequence)
    );
    CREATE INDEX evidence_receipts_by_time ON evidence_receipts (issued_at);
    COMMENT ON COLUMN evidence_receipts.sealed IS 'the receipt with its hash and signature, as the JSON text that callers get';

    CREATE TABLE evidence_keys (
      id text PRIMARY KEY,
      public_key text NOT NULL,
      sealed_private_key bytea,
      created_at timestamptz NOT NULL,
      retired_at timestamptz
    );
    COMMENT ON COLUMN evidence_keys.id IS 'thumbprint of the public key (RFC 7638)';
    COMMENT ON COLUMN evidence_keys.public_key IS 'Ed25519, 32 bytes in base64url';
    COMMENT ON COLUMN evidence_keys.sealed_private_key IS 'PKCS#8 in base64, encrypted under the key secret; null for the key of QUIPU_EVIDENCE_KEY';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE evidence_keys, evidence_receipts, evidence_chains');
}
