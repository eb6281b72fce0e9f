/** Every upstream by its public name, the `source` of an answer, and what it is. */
export const SOURCES = {
  receita_federal: 'Brazilian tax registry, asked live.',
  CEIS: 'Brazil: companies barred from public contracts.',
  CNEP: 'Brazil: penalties of the anti-corruption law.',
  TRABALHO_ESCRAVO: 'Brazil: employers found using labour analogous to slavery.',
  OFAC_SDN: 'US Treasury: Specially Designated Nationals.',
  UN_CONSOLIDATED: 'UN Security Council: consolidated list.',
} as const;
export type SourceName = keyof typeof SOURCES;
