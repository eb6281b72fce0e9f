/** Every upstream by its public name: the `source` of an answer. */
export const SOURCE_NAMES = ['receita_federal', 'CEIS', 'CNEP', 'TRABALHO_ESCRAVO', 'OFAC_SDN', 'UN_CONSOLIDATED'] as const;
export type SourceName = (typeof SOURCE_NAMES)[number];
