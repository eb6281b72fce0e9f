/** Columns of a table: our name → the full header in capitals, without accents and underscores. The publisher cuts some headers. */
export type Columns = Readonly<Record<string, string>>;

/** The tables that the registry publishes, each with the columns by which its header is recognised. */
export const COLUMNS = {
  /** One row per company and commercial year. */
  companies: {
    year: 'ANO COMERCIAL',
    rut: 'RUT',
    dv: 'DV',
    name: 'RAZON SOCIAL',
    bracket: 'TRAMO SEGUN VENTAS',
    workers: 'NUMERO DE TRABAJADORES DEPENDIENTES INFORMADOS',
    startedOn: 'FECHA INICIO DE ACTIVIDADES VIGENTE',
    endedOn: 'FECHA TERMINO DE GIRO',
    firstRegisteredOn: 'FECHA PRIMERA INSCRIPCION DE ACTIVIDADES',
    endKind: 'TIPO TERMINO DE GIRO',
    kind: 'SUBTIPO DE CONTRIBUYENTE',
    activity: 'ACTIVIDAD ECONOMICA',
    region: 'REGION',
    commune: 'COMUNA',
  },
  /** One row per legal person, including those newer than the last commercial year. */
  names: {
    rut: 'RUT',
    dv: 'DV',
    subtype: 'COD SUBTIPO',
    name: 'RAZON SOCIAL',
    startedOn: 'FECHA INICIO VIG',
    endedOn: 'FECHA TG VIG',
  },
  /** Any number of rows per legal person. */
  activities: { rut: 'RUT', dv: 'DV', code: 'CODIGO ACTIVIDAD', activity: 'DESC. ACTIVIDAD ECONOMICA' },
  /** Any number of rows per legal person, including domiciles no longer in force. */
  domiciles: { rut: 'RUT', dv: 'DV', inForce: 'VIGENCIA', since: 'FECHA', commune: 'COMUNA', region: 'REGION' },
} as const satisfies Record<string, Columns>;

export type Table = keyof typeof COLUMNS;

/** Indexes of a table's columns in a file. */
export type ColumnIndexes<T extends Table> = { readonly [K in keyof (typeof COLUMNS)[T]]: number };

/** Tables in the order in which they are read: each fills gaps that the tables before it left. */
export const TABLES = Object.keys(COLUMNS) as readonly Table[];
