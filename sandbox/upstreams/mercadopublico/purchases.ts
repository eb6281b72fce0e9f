/** A purchase of the fictional Chilean public bodies. */
export interface Purchase {
  readonly title: string;
  readonly description: string;
  /** Products of its lines, one to three. */
  readonly products: readonly string[];
  /** Rough price of one unit, in CLP. */
  readonly unitClp: number;
}

export const PURCHASES: readonly [Purchase, ...Purchase[]] = [
  {
    title: 'Adquisición de insumos clínicos para urgencia',
    description: 'Se requiere la compra de insumos clínicos y estériles para la unidad de urgencia del establecimiento de salud inventado.',
    products: ['Jeringas desechables', 'Guantes de procedimiento', 'Vendas elásticas'],
    unitClp: 350,
  },
  {
    title: 'Construcción sede social Población Ñandú',
    description: 'Obra de construcción de la sede social, con fundaciones, techumbre y accesos para personas con movilidad reducida.',
    products: ['Obra gruesa', 'Terminaciones'],
    unitClp: 48_000_000,
  },
  {
    title: 'Servicio de alimentación escolar año lectivo',
    description: 'Raciones diarias de desayuno y almuerzo para alumnos de la comuna, según minuta de la nutricionista.',
    products: ['Raciones de desayuno', 'Raciones de almuerzo'],
    unitClp: 2_100,
  },
  {
    title: 'Mantención de áreas verdes y poda de árboles',
    description: 'Mantención mensual de plazas y bandejones: riego, desmalezado, poda y reposición de césped.',
    products: ['Mantención mensual', 'Poda de árboles'],
    unitClp: 1_350_000,
  },
  {
    title: 'Arriendo de camión aljibe',
    description: 'Arriendo de camión aljibe para la entrega de agua potable en sectores rurales afectados por la sequía.',
    products: ['Arriendo mensual de camión'],
    unitClp: 3_900_000,
  },
  {
    title: 'Computadores y notebooks para establecimientos',
    description: 'Renovación del parque computacional: notebooks, monitores y licencias con garantía de tres años.',
    products: ['Notebook de 14 pulgadas', 'Monitor de 24 pulgadas', 'Licencia de ofimática'],
    unitClp: 520_000,
  },
  {
    title: 'Reposición de luminarias LED peatonales',
    description: 'Suministro e instalación de luminarias LED en calles y pasajes; incluye retiro de las existentes.',
    products: ['Luminaria LED', 'Instalación y retiro'],
    unitClp: 185_000,
  },
  {
    title: 'Vacunación antirrábica canina y felina',
    description: 'Operativos de vacunación, desparasitación e implantación de microchip en juntas de vecinos.',
    products: ['Dosis antirrábica', 'Microchip'],
    unitClp: 4_200,
  },
  {
    title: 'Producción de eventos: Fiesta de la Chaya',
    description: 'Servicio de producción de eventos con amplificación, escenario, iluminación y artistas.',
    products: ['Amplificación – «evento»', 'Escenario e iluminación'],
    unitClp: 7_400_000,
  },
  {
    title: 'Reactivos de laboratorio e instrumental',
    description: 'Compra anual de reactivos para hematología y química clínica, con equipos en comodato.',
    products: ['Reactivo de hematología', 'Reactivo de química clínica'],
    unitClp: 96_000,
  },
  {
    title: 'Estudio de ingeniería para puente peatonal',
    description: 'Consultoría: topografía, mecánica de suelos, diseño estructural y presupuesto del puente sobre el estero.',
    products: ['Estudio de ingeniería'],
    unitClp: 36_000_000,
  },
  {
    title: 'Vestuario y calzado de seguridad',
    description: 'Vestuario institucional, chaquetas reflectantes y calzado de seguridad para cuadrillas.',
    products: ['Chaqueta reflectante', 'Calzado de seguridad'],
    unitClp: 42_000,
  },
  {
    title: 'Papelería y útiles de oficina',
    description: 'Suministro de resmas, archivadores y tóner según calendario trimestral.',
    products: ['Resma carta', 'Archivador', 'Tóner'],
    unitClp: 3_600,
  },
  {
    title: 'Transporte escolar rural',
    description: 'Servicio de transporte de alumnos desde localidades rurales, con acompañante y seguro.',
    products: ['Recorrido diario'],
    unitClp: 88_000,
  },
  {
    title: 'Pavimentación de veredas y accesos',
    description: 'Reposición de veredas de hormigón, soleras y rebajes universales.',
    products: ['Vereda de hormigón (m²)', 'Solera tipo A'],
    unitClp: 31_000,
  },
  {
    title: 'Software de gestión y soporte informático',
    description: 'Licenciamiento, migración de datos y mesa de ayuda de un sistema de gestión documental.',
    products: ['Suscripción anual', 'Horas de soporte'],
    unitClp: 640_000,
  },
  {
    title: 'Leña certificada y combustible para calefacción',
    description: 'Leña seca certificada y pellet para escuelas del sur durante el invierno.',
    products: ['Leña seca (m³ estéreo)', 'Pellet (saco)'],
    unitClp: 45_000,
  },
];
