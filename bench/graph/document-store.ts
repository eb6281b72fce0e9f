import pg from 'pg';

/**
 * A store with one JSONB document per establishment, in the same Postgres: the way of minha-receita, which has a table of documents by CNPJ
 * and an index of the documents of their partners. It answers by single statements, without metering or masking.
 */
export interface DocumentStore {
  readonly buildSeconds: number;
  /** Bytes of the table with its indexes. */
  readonly bytes: number;
  company(cnpj: string): Promise<readonly StoredDocument[]>;
  companies(cnpjs: readonly string[]): Promise<readonly StoredDocument[]>;
  /** Returns the companies with a partner of one of these documents, at most 100. @param name of a person; null for a company */
  ofPartner(documents: readonly string[], name: string | null): Promise<readonly StoredDocument[]>;
  close(): Promise<void>;
}

export interface StoredDocument {
  readonly id: string;
  readonly json: {
    readonly razao_social: string;
    readonly qsa: readonly { readonly nome_socio: string; readonly cnpj_cpf_do_socio: string }[];
  };
}

const TABLE = 'documents';
/** Expression of the index of partners. */
const PARTNERS = `jsonb_path_query_array(json, '$.qsa[*].cnpj_cpf_do_socio')`;
const LIMIT = 100;

/** Writes the rows of a version as documents, with the indexes. */
export async function openDocumentStore(url: string, id: string): Promise<DocumentStore> {
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  const table = (name: string): string => `receita_${name}_v${id}`;
  const startedAt = performance.now();
  await pool.query(`CREATE TABLE ${TABLE} (id text NOT NULL, json jsonb NOT NULL)`);
  await pool.query(`
    INSERT INTO ${TABLE} SELECT e.root || e.branch || e.digits, jsonb_build_object('cnpj', e.root || e.branch || e.digits,
      'razao_social', c.name, 'nome_fantasia', e.trade_name, 'codigo_natureza_juridica', c.nature, 'codigo_porte', c.size,
      'capital_social', c.capital_cents / 100.0, 'situacao_cadastral', e.status, 'data_situacao_cadastral', e.status_since,
      'data_inicio_atividade', e.started_on, 'cnae_fiscal', e.activity, 'cnaes_secundarios', to_jsonb(e.other_activities), 'uf', e.state,
      'codigo_municipio', e.municipality, 'opcao_pelo_simples', r.simples, 'opcao_pelo_mei', r.mei,
      'identificador_matriz_filial', CASE WHEN e.is_head THEN 1 ELSE 2 END, 'qsa', coalesce((
        SELECT jsonb_agg(jsonb_build_object('nome_socio', p.name, 'cnpj_cpf_do_socio', p.document, 'identificador_de_socio', p.kind,
          'codigo_qualificacao_socio', p.role, 'data_entrada_sociedade', p.since) ORDER BY p.line)
        FROM ${table('partners')} p WHERE p.root = e.root), '[]'))
    FROM ${table('establishments')} e JOIN ${table('companies')} c ON c.root = e.root LEFT JOIN ${table('regimes')} r ON r.root = e.root`);
  await pool.query(`ALTER TABLE ${TABLE} ADD PRIMARY KEY (id)`);
  await pool.query(`CREATE INDEX ON ${TABLE} USING gin ((${PARTNERS})) WITH (fastupdate = off)`);
  await pool.query(`VACUUM ANALYZE ${TABLE}`);
  const buildSeconds = (performance.now() - startedAt) / 1_000;
  const { rows } = await pool.query(`SELECT pg_total_relation_size('${TABLE}')::float8 AS bytes`);
  const read = async (name: string, condition: string, values: readonly unknown[]): Promise<readonly StoredDocument[]> =>
    (await pool.query({ name, text: `SELECT id, json FROM ${TABLE} WHERE ${condition}`, values: [...values] })).rows;
  return {
    buildSeconds,
    bytes: rows[0].bytes,
    company: (cnpj) => read('company', 'id = $1', [cnpj]),
    companies: (cnpjs) => read('companies', 'id = ANY ($1)', [cnpjs]),
    ofPartner: (documents, name) =>
      name === null
        ? read('of_company', `${PARTNERS} ?| $1 LIMIT ${LIMIT}`, [documents])
        : read('of_person', `${PARTNERS} ?| $1 AND json->'qsa' @> $2 LIMIT ${LIMIT}`, [documents, JSON.stringify([{ nome_socio: name }])]),
    close: () => pool.end(),
  };
}
