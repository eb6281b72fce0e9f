const TRANSPARENCIA = 'https://portaldatransparencia.gov.br/sancoes/consulta';

/** The page on which the publisher of a list shows it to readers, by list. The list of tax debtors is the operator's own. */
const PAGES: Readonly<Record<string, string>> = {
  CEIS: TRANSPARENCIA,
  CNEP: TRANSPARENCIA,
  CEPIM: TRANSPARENCIA,
  ACORDO_LENIENCIA: TRANSPARENCIA,
  TCU_INIDONEOS: 'https://certidoes-apf.apps.tcu.gov.br',
  BCB_PROIBIDOS: 'https://www.bcb.gov.br',
  TRABALHO_ESCRAVO: 'https://www.gov.br/trabalho-e-emprego/pt-br/assuntos/inspecao-do-trabalho/areas-de-atuacao',
  MULTAS_SECOP_I: 'https://www.datos.gov.co/d/4n4q-k399',
  MULTAS_SECOP_II: 'https://www.datos.gov.co/d/it5q-hg94',
  UN_CONSOLIDATED: 'https://main.un.org/securitycouncil/en/content/un-sc-consolidated-list',
  EU_CONSOLIDATED: 'https://webgate.ec.europa.eu/fsd/fsf',
  UK_SANCTIONS: 'https://www.gov.uk/government/publications/the-uk-sanctions-list',
  WORLD_BANK_DEBARRED: 'https://projects.worldbank.org/en/projects-operations/procurement/debarred-firms',
};
const OFAC: readonly string[] = ['OFAC_SDN', 'OFAC_NON_SDN'];

/**
 * Returns the page of the publisher about an entry of a list, or about the list; null if none is known.
 * @param entityId the list's own id of the party, which is part of an address for lists of OFAC only
 */
export function publisherPage(list: string, entityId = ''): string | null {
  if (!OFAC.includes(list)) return PAGES[list] ?? null;
  return /^\d{1,9}$/.test(entityId)
    ? `https://sanctionssearch.ofac.treas.gov/Details.aspx?id=${entityId}`
    : 'https://sanctionssearch.ofac.treas.gov';
}
