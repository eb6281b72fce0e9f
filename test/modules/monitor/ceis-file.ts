export const CEIS_HEADER = [
  'CADASTRO',
  'CÓDIGO DA SANÇÃO',
  'TIPO DE PESSOA',
  'CPF OU CNPJ DO SANCIONADO',
  'NOME DO SANCIONADO',
  'NÚMERO DO PROCESSO',
  'CATEGORIA DA SANÇÃO',
  'DATA INÍCIO SANÇÃO',
  'DATA FINAL SANÇÃO',
  'ÓRGÃO SANCIONADOR',
];

/** An entry of the list. */
export interface Penalty {
  readonly cnpj: string;
  readonly code: string;
  readonly end?: string;
}

/** A file in the format of CEIS. */
export const ceisFile = (penalties: readonly Penalty[]): Buffer => {
  const rows = penalties.map(({ cnpj, code, end = '' }) => [
    'CEIS',
    code,
    'J',
    cnpj,
    'FICTÍCIA',
    '1/2023',
    'Suspensão',
    '10/01/2023',
    end,
    'Prefeitura',
  ]);
  return Buffer.from([CEIS_HEADER, ...rows].map((cells) => cells.map((cell) => `"${cell}"`).join(';')).join('\r\n'), 'latin1');
};
