import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { acordoLenienciaSimulator, effectsFile } from '../../../sandbox/upstreams/debarment/acordo-leniencia.ts';
import { bcbProibidosSimulator } from '../../../sandbox/upstreams/debarment/bcb-proibidos.ts';
import { cepimSimulator } from '../../../sandbox/upstreams/debarment/cepim.ts';
import { ceisSimulator, cnepSimulator } from '../../../sandbox/upstreams/debarment/simulators.ts';
import { tcuInidoneosSimulator } from '../../../sandbox/upstreams/debarment/tcu-inidoneos.ts';
import { euConsolidatedSimulator } from '../../../sandbox/upstreams/sanctions/eu.ts';
import { ofacSdnSimulator } from '../../../sandbox/upstreams/sanctions/ofac.ts';
import { ofacNonSdnSimulator } from '../../../sandbox/upstreams/sanctions/ofac-non-sdn.ts';
import { ukSanctionsSimulator } from '../../../sandbox/upstreams/sanctions/uk.ts';
import { unConsolidatedSimulator } from '../../../sandbox/upstreams/sanctions/un.ts';
import { worldBankSimulator } from '../../../sandbox/upstreams/sanctions/world-bank.ts';
import { multasSecopIiSimulator, multasSecopISimulator } from '../../../sandbox/upstreams/secop-fines.ts';
import { taxDebtorsSimulator } from '../../../sandbox/upstreams/tax-debtors.ts';
import { trabalhoEscravoSimulator } from '../../../sandbox/upstreams/trabalho-escravo.ts';
import { ceisSpec, cnepSpec } from '../../../src/modules/debarment/source.ts';
import { acordoLenienciaSpec } from '../../../src/modules/debarment/sources/acordo-leniencia.ts';
import { bcbProibidosSpec } from '../../../src/modules/debarment/sources/bcb-proibidos.ts';
import { cepimSpec } from '../../../src/modules/debarment/sources/cepim.ts';
import { multasSecopISpec } from '../../../src/modules/debarment/sources/multas-secop-i.ts';
import { multasSecopIiSpec } from '../../../src/modules/debarment/sources/multas-secop-ii.ts';
import { tcuInidoneosSpec } from '../../../src/modules/debarment/sources/tcu-inidoneos.ts';
import { trabalhoEscravoSpec } from '../../../src/modules/labor/source.ts';
import { euConsolidatedSpec } from '../../../src/modules/sanctions/sources/eu-consolidated.ts';
import { ofacNonSdnSpec } from '../../../src/modules/sanctions/sources/ofac-non-sdn.ts';
import { ofacSdnSpec } from '../../../src/modules/sanctions/sources/ofac-sdn.ts';
import { ukSanctionsSpec } from '../../../src/modules/sanctions/sources/uk-sanctions.ts';
import { unConsolidatedSpec } from '../../../src/modules/sanctions/sources/un-consolidated.ts';
import { worldBankSpec } from '../../../src/modules/sanctions/sources/world-bank.ts';
import { taxDebtorsSpec } from '../../../src/modules/tax-health/source.ts';
import { DownloadFailure } from '../../../src/sources/registry/download-transfer.ts';
import { openListFile } from '../../../src/sources/registry/list-file-open.ts';
import type { ListEntry, RegistrySpec } from '../../../src/sources/registry/registry.ts';
import type { DamagePlan, Document } from '../../support/damage.ts';
import type { Answers, Judged, Subject } from '../../support/damage-oracle.ts';
import { readWhole } from '../../support/read-list.ts';
import { BROWSER, simulated } from './fakes.ts';

type Documents = Readonly<Record<string, Document>>;

/** Answers of a list by company: whether it is listed; or, for a list without ids of companies, the number of its parties. */
function judged<R>(entries: readonly ListEntry<R>[], hasIds: boolean): Record<string, Judged> {
  if (!hasIds) return { parties: { verdict: String(entries.length), details: entries } };
  const found = Map.groupBy(
    entries.flatMap(({ keys, record }) => keys.map((key) => ({ key, record }))),
    ({ key }) => key,
  );
  return Object.fromEntries([...found].map(([key, own]) => [key, { verdict: 'listed', details: own.map(({ record }) => record) }]));
}

/** A list whose first document is the file, and the others lie beside it. Each read writes them into `folder`. */
function listSubject<R>(
  spec: RegistrySpec<R>,
  name: string,
  documents: Documents,
  { folder, hasIds = true, ...plan }: DamagePlan & { readonly folder: string; readonly hasIds?: boolean },
): Subject {
  const [main = ''] = Object.keys(documents);
  async function read(all: Documents): Promise<Answers> {
    const write = (file: string) => writeFile(path.join(folder, file), Buffer.from(all[file]?.text ?? '', 'latin1'));
    const open = async (file: string) => {
      if (!all[file]) throw new DownloadFailure('missing', 'no such file', { absent: true });
      await write(file);
      const url = pathToFileURL(path.join(folder, file));
      return { path: path.join(folder, file), url, date: null, name: file, bytes: 0, sha256: '', lastModified: '2026-11-20', etag: null };
    };
    const downloader = { get: (address: string) => open(decodeURIComponent(path.basename(new URL(address).pathname))) };
    const file = await openListFile(await open(main), { downloader, members: spec.members });
    const { entries, version } = await readWhole(spec, file);
    if (version.rowsRead === 0) throw new Error('the load guard refuses an empty version');
    return { answers: judged(entries, hasIds), unmatched: version.rowsUnmatched ?? 0 };
  }
  return { name, documents, read, ...plan };
}

const BRAZILIAN = { decisive: /CPF OU CNPJ|CNPJ\/CPF|^TIPO DE PESSOA$|^CADASTRO$/ } as const;

/** The published lists, each from its simulated version; `folder` is for their files. */
export async function lists(folder: string): Promise<readonly Subject[]> {
  const leniencyEffects: Document = { format: 'csv', status: 200, text: effectsFile().toString('latin1') };
  // without the separator at the end of its header, which has one cell more than the rows
  const tcuPage = await simulated(tcuInidoneosSimulator, '/responsaveis-inidoneos/exportar-para-csv', { method: 'POST' });
  const csv = async (file: string) => simulated(ofacSdnSimulator, `/${file}`, { headers: BROWSER });
  const nonSdn = async (file: string) => simulated(ofacNonSdnSimulator, `/${file}`, { headers: BROWSER });
  return [
    listSubject(ceisSpec, 'CEIS', { 'ceis.csv': await simulated(ceisSimulator, '/20261120') }, { folder, ...BRAZILIAN }),
    listSubject(
      ceisSpec,
      'CEIS, some hundred rows',
      { 'ceis.csv': await simulated(ceisSimulator, '/20261120', { rows: 400 }) },
      { folder, ...BRAZILIAN },
    ),
    listSubject(cnepSpec, 'CNEP', { 'cnep.csv': await simulated(cnepSimulator, '/20261120') }, { folder, ...BRAZILIAN }),
    listSubject(
      cepimSpec,
      'CEPIM',
      { 'cepim.csv': await simulated(cepimSimulator, '/20261118', { rows: 400 }) },
      { folder, decisive: /^CNPJ/ },
    ),
    listSubject(
      tcuInidoneosSpec,
      'TCU_INIDONEOS',
      { 'responsaveis-inidoneos': await simulated(tcuInidoneosSimulator, '/responsaveis-inidoneos', { method: 'POST' }) },
      { folder, decisive: /^(tipoRegistro|numeroRegistro)$/ },
    ),
    listSubject(
      tcuInidoneosSpec,
      'TCU_INIDONEOS, csv',
      { 'inidoneos.csv': { ...tcuPage, text: tcuPage.text.replace(/(?<=[^=])\|\r\n/, '\r\n') } },
      { folder, delimiter: '|', decisive: /^CPF/ },
    ),
    listSubject(
      bcbProibidosSpec,
      'BCB_PROIBIDOS',
      {
        QuadroGeralProibidos: await simulated(bcbProibidosSimulator, '/odata/QuadroGeralProibidos'),
        QuadroGeralInabilitados: await simulated(bcbProibidosSimulator, '/odata/QuadroGeralInabilitados'),
      },
      { folder, decisive: /^CPF/ },
    ),
    listSubject(
      acordoLenienciaSpec,
      'ACORDO_LENIENCIA',
      { '20261119_Acordos.csv': await simulated(acordoLenienciaSimulator, '/20261119'), '20261119_Efeitos.csv': leniencyEffects },
      { folder, decisive: /^(ID DO|CNPJ)/ },
    ),
    listSubject(
      trabalhoEscravoSpec,
      'TRABALHO_ESCRAVO',
      { 'cadastro_de_empregadores.csv': await simulated(trabalhoEscravoSimulator, '/cadastro_de_empregadores.csv') },
      { folder, ...BRAZILIAN },
    ),
    listSubject(
      ofacSdnSpec,
      'OFAC_SDN, xml',
      { 'SDN.XML': await simulated(ofacSdnSimulator, '/SDN.XML', { headers: BROWSER, rows: 1_000 }) },
      { folder, decisive: /^(uid|sdnType)$/, opaque: /^(idType|idNumber|idCountry)$/ },
    ),
    listSubject(
      ofacSdnSpec,
      'OFAC_SDN, csv',
      { 'SDN.CSV': await csv('SDN.CSV'), 'ALT.CSV': await csv('ALT.CSV'), 'ADD.CSV': await csv('ADD.CSV') },
      { folder, delimiter: ',', headless: true, decisive: /./, opaque: /^#11$/ },
    ),
    listSubject(
      unConsolidatedSpec,
      'UN_CONSOLIDATED',
      { 'consolidated.xml': await simulated(unConsolidatedSimulator, '/consolidated.xml') },
      { folder, hasIds: false },
    ),
    listSubject(
      ofacNonSdnSpec,
      'OFAC_NON_SDN',
      {
        'CONS_PRIM.CSV': await nonSdn('CONS_PRIM.CSV'),
        'CONS_ALT.CSV': await nonSdn('CONS_ALT.CSV'),
        'CONS_ADD.CSV': await nonSdn('CONS_ADD.CSV'),
      },
      { folder, delimiter: ',', headless: true, decisive: /./, opaque: /^#11$/ },
    ),
    listSubject(
      euConsolidatedSpec,
      'EU_CONSOLIDATED',
      { 'eu.xml': await simulated(euConsolidatedSimulator, '/xmlFullSanctionsList_1_1.xml') },
      { folder, opaque: /^(number|latinNumber|countryIso2Code|identificationTypeCode|knownFalse)$/ },
    ),
    listSubject(
      ukSanctionsSpec,
      'UK_SANCTIONS',
      { 'uk.csv': await simulated(ukSanctionsSimulator, '/UK-Sanctions-List.csv') },
      { folder, delimiter: ',', opaque: /^Business registration number/ },
    ),
    listSubject(
      worldBankSpec,
      'WORLD_BANK_DEBARRED',
      { 'suppliers.json': await simulated(worldBankSimulator, '/SANCTIONED_FIRM', { headers: { apikey: 'x' } }) },
      { folder, hasIds: false },
    ),
    listSubject(
      multasSecopISpec,
      'MULTAS_SECOP_I',
      { '4n4q-k399.json': await simulated(multasSecopISimulator, '/4n4q-k399.json', { rows: 200 }) },
      { folder, decisive: /^documento_contratista$/ },
    ),
    listSubject(
      multasSecopIiSpec,
      'MULTAS_SECOP_II',
      {
        'it5q-hg94.json': await simulated(multasSecopIiSimulator, '/it5q-hg94.json'),
        'jbjy-vk9h.json': await simulated(multasSecopIiSimulator, '/jbjy-vk9h.json', { rows: 500 }),
      },
      {
        folder,
        decisive: /^(id_contrato|id_proceso|as_codigo_proveedor_objeto|estado|proceso_de_compra|(documento|codigo)_proveedor)$/,
        opaque: /^numero_de_acto$/,
      },
    ),
    listSubject(
      taxDebtorsSpec,
      'TAX_DEBTORS_CL',
      { 'deudores.csv': await simulated(taxDebtorsSimulator, '/deudores.csv') },
      { folder, decisive: /^(rut|monto_clp)$/ },
    ),
  ];
}
