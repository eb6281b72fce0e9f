import type { Knex } from 'knex';

/**
 * Who is behind a domain, as far as it is known: what an operator said, for good, and what was found, for a while.
 * A site's own front page is one question, each page that a caller named to begin with another; so what a page deep in a site says
 * never answers for the site.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE domain_owners (
      domain text NOT NULL,
      start text NOT NULL,
      origin text NOT NULL,
      country char(2),
      tax_id text,
      method text NOT NULL,
      set_by text,
      confidence real NOT NULL,
      evidence jsonb,
      candidates jsonb NOT NULL,
      reason text,
      found_at timestamptz NOT NULL,
      expires_at timestamptz,
      PRIMARY KEY (domain, start, origin)
    );
    COMMENT ON COLUMN domain_owners.domain IS 'registrable, in A-labels and lower case';
    COMMENT ON COLUMN domain_owners.start IS 'URL a caller began with; empty for the front page, and for what an operator or a registry said';
    COMMENT ON COLUMN domain_owners.origin IS 'sandbox, live or given: whose name servers led there; empty for what an operator said, which holds for all';
    COMMENT ON COLUMN domain_owners.tax_id IS 'bare; null where no company could be found, which is forgotten within an hour';
    COMMENT ON COLUMN domain_owners.method IS 'known (an operator said so), rdap or site';
    COMMENT ON COLUMN domain_owners.set_by IS 'file or command; null for what was found';
    COMMENT ON COLUMN domain_owners.evidence IS '{url, snippet, kind}';
    COMMENT ON COLUMN domain_owners.expires_at IS 'when it is asked anew; null for never';
    CREATE INDEX domain_owners_expiry ON domain_owners (expires_at);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE domain_owners');
}
