/** A public body of the made-up Colombia that buys. */
export interface ColombianBuyer {
  readonly name: string;
  /** Nine digits, without check digit, as nearly all of them are printed. */
  readonly nit: string;
  readonly department: string;
  readonly city: string;
}

export const COLOMBIAN_BUYERS: readonly [ColombianBuyer, ...ColombianBuyer[]] = [
  { name: 'MUNICIPIO DE MACONDO', nit: '999500001', department: 'Magdalena', city: 'Macondo' },
  { name: 'E.S.E. HOSPITAL LA HOJARASCA', nit: '999500002', department: 'Caquetá', city: 'La Hojarasca' },
  { name: 'GOBERNACIÓN DE LA NIEBLA', nit: '999500003', department: 'Nariño', city: 'Páramo Alto' },
  { name: 'INSTITUTO NACIONAL DE VÍAS IMAGINARIAS', nit: '999500004', department: 'Distrito Capital de Bogotá', city: 'Bogotá' },
  { name: 'UNIVERSIDAD DEL OTRO LADO DEL RÍO', nit: '999500005', department: 'Boyacá', city: 'Orilla Vieja' },
];
