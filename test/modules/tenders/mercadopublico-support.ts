import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { Knex } from 'knex';
import { onTestFinished } from 'vitest';
import { type CompanyKey, parseCompanyKey } from '../../../src/domain/company.ts';
import type { AwardingMarketplace, SupplierPageRequest } from '../../../src/modules/tenders/sources/marketplace.ts';
import { mercadopublico } from '../../../src/modules/tenders/sources/mercadopublico/mercadopublico.ts';
import { createHttpClient } from '../../../src/sources/http/client.ts';
import type { Address } from '../../../src/sources/source.ts';
import { testDb } from '../../support/db.ts';
import { memoryLog } from '../../support/log.ts';
import { sampleJson } from '../../support/samples.ts';

/** Addresses of the source in one test. A missing address is a closed port with the origin `live`. */
export interface Setup {
  readonly api?: string;
  readonly files?: string;
  readonly origins?: Readonly<Record<'api' | 'files', Address['origin']>>;
  readonly settings?: Readonly<Record<string, string>>;
  readonly now?: () => number;
  /** By default a new database. */
  readonly db?: Knex;
}

export const TICKET = 'AAAA1111-0000-4000-8000-BBBB2222CCCC';
const NOBODY = 'http://127.0.0.1:1';

/** Creates the source with its own database by default. */
export async function source({ api, files, origins, settings = {}, now = Date.now, db }: Setup) {
  const { log, lines } = memoryLog();
  const { knex, close } = db ? { knex: db, close: async () => undefined } : await testDb();
  const tempDir = await mkdtemp(path.join(os.tmpdir(), 'quipu-mp-'));
  const addresses: Readonly<Record<string, Address>> = {
    QUIPU_MERCADOPUBLICO_URL: { url: api ?? NOBODY, origin: origins?.api ?? (api ? 'given' : 'live') },
    QUIPU_MERCADOPUBLICO_BULK_URL: { url: files ?? NOBODY, origin: origins?.files ?? (files ? 'given' : 'live') },
  };
  const mp: AwardingMarketplace = mercadopublico.create({
    address: (name) => addresses[name]!,
    setting: (name) => settings[name] ?? (name === 'QUIPU_MERCADOPUBLICO_TICKET' ? TICKET : mercadopublico.settings![name]!.fallback),
    get outbound(): never {
      throw new Error('this source asks no site of a caller');
    },
    get dns(): never {
      throw new Error('this source asks no name server');
    },
    http: ({ concurrency = 16 } = {}) => createHttpClient({ source: 'mercadopublico', concurrency, now, random: () => 0, log }),
    db: knex,
    now,
    random: () => 0,
    log,
    tempDir,
  });
  onTestFinished(async () => {
    await mp.close?.();
    await close();
    await rm(tempDir, { recursive: true, force: true });
  });
  return { mp, log: lines, tempDir, db: knex };
}

export const ask = (rut: string, first = 100): SupplierPageRequest => ({ key: parseCompanyKey('CL', rut), first, after: null });
export const askKey = (key: CompanyKey, first = 100): SupplierPageRequest => ({ key, first, after: null });

export const unavailable = { code: 'SOURCE_UNAVAILABLE', facts: { source: 'mercadopublico' } };

export const sample = (name: string) => sampleJson(`chile-colombia/${name}`);

export const listing = (...rows: readonly unknown[]) => ({
  Cantidad: rows.length,
  FechaCreacion: '2026-10-10T14:27:53.62',
  Version: 'v1',
  Listado: rows,
});
export const companies = (...numbers: readonly string[]) => ({
  Cantidad: numbers.length,
  listaEmpresas: numbers.map((CodigoEmpresa) => ({ CodigoEmpresa, NombreEmpresa: 'INVENTADA SPA' })),
});
export const complaint = (Codigo: number) => ({ Codigo, Mensaje: 'Lo sentimos.' });

export const stub = (CodigoExterno: string, change: object = {}) => ({
  CodigoExterno,
  Nombre: `Adquisición de insumos clínicos ${CodigoExterno}`,
  CodigoEstado: 5,
  FechaCierre: '2026-11-30T15:10:00',
  ...change,
});

/** A tender of two lines in UF, both won by 76.012.551-2. */
export const tenderJson = (CodigoExterno = '1509-5-LE26', change: object = {}) => ({
  CodigoExterno,
  Nombre: 'Insumos Médicos ',
  CodigoEstado: 8,
  Descripcion: 'Compra de insumos',
  FechaCierre: null,
  Estado: 'Adjudicada',
  Comprador: {
    NombreOrganismo: 'HOSPITAL DE NADIE',
    RutUnidad: '61.608.006-7',
    NombreUsuario: 'PERSONA PRIVADA',
    RutUsuario: '12.345.678-5',
  },
  Moneda: 'UF',
  MontoEstimado: 1200.5,
  VisibilidadMonto: 1,
  Fechas: {
    FechaPublicacion: '2026-11-01T10:00:17.1734567',
    FechaCierre: '2026-11-11T15:54:00',
    FechaAdjudicacion: '2026-11-20T15:42:13.133',
  },
  NombreResponsableContrato: 'PERSONA PRIVADA',
  Adjudicacion: { Fecha: '2026-11-19T00:00:00' },
  Items: { Cantidad: 3, Listado: [line('76.012.551-2', 3, 0.1), line('76012551-2', 10, 27.98), { Adjudicacion: null }] },
  ...change,
});
export const line = (RutProveedor: string, Cantidad: number, MontoUnitario: number) => ({
  Adjudicacion: { RutProveedor, Cantidad, MontoUnitario },
});

export const orderJson = (Codigo = '2097-241-SE26', change: object = {}) => ({
  Codigo,
  Nombre: 'Insumos dentales',
  CodigoEstado: 6,
  Estado: 'Aceptada',
  CodigoLicitacion: '2097-165-L126',
  TipoMoneda: 'CLP',
  Total: 41650,
  Fechas: { FechaCreacion: '2026-11-19T09:00:01.96', FechaEnvio: '2026-11-20T09:36:28' },
  Comprador: { NombreOrganismo: 'Hospital de Nadie', RutUnidad: '61.602.209-1', NombreContacto: 'PERSONA PRIVADA' },
  Proveedor: { Codigo: '1316979', RutSucursal: '76.242.192-5', NombreContacto: 'PERSONA PRIVADA', MailContacto: 'a@b.cl' },
  ...change,
});
