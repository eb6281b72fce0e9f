/**
 * Every source by its public name (the `source` of an answer), with its description. The GraphQL enum, the CLI and the types of the
 * lists read this record.
 */
export const SOURCES = {
  receita_federal: 'Brazilian tax registry, asked live.',
  sii: 'Chilean tax registry, a local copy of its public files.',
  TAX_DEBTORS_CL: 'Chile: tax debtors, a list that the operator brings.',
  mercadopublico: 'Chile: public procurement (ChileCompra).',
  pncp: 'Brazil: public procurement (national portal).',
  secopii: 'Colombia: public procurement (SECOP II).',
  rdap: 'Brazil: holders of domain names (registro.br).',
  dns: 'The domain name system, for mail servers and verification records.',
  website: "A company's own website.",
  known_domains: 'Domains whose company an operator told, or that was found before: a table of our own.',
  CEIS: 'Brazil: companies barred from public contracts.',
  CNEP: 'Brazil: penalties of the anti-corruption law.',
  TRABALHO_ESCRAVO: 'Brazil: employers found using labour analogous to slavery.',
  OFAC_SDN: 'US Treasury: Specially Designated Nationals.',
  UN_CONSOLIDATED: 'UN Security Council: consolidated list.',
} as const;
export type SourceName = keyof typeof SOURCES;
