import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { mercadopublicoBulkSimulator } from '../../../sandbox/upstreams/mercadopublico/bulk.ts';
import { pncpSimulator } from '../../../sandbox/upstreams/pncp/simulator.ts';
import { contractRows, procedureRows } from '../../../sandbox/upstreams/secopii/simulator.ts';
import { colombianByScenario } from '../../../sandbox/world/colombia.ts';
import { parseCompanyKey } from '../../../src/domain/company.ts';
import { createApi } from '../../../src/modules/tenders/sources/mercadopublico/api.ts';
import { readBulkAwards, readBulkOrders } from '../../../src/modules/tenders/sources/mercadopublico/bulk-rows.ts';
import { pncpPlan } from '../../../src/modules/tenders/sources/pncp/plan.ts';
import { pncp } from '../../../src/modules/tenders/sources/pncp/pncp.ts';
import { secopii } from '../../../src/modules/tenders/sources/secopii/secopii.ts';
import type { IndexRow } from '../../../src/modules/tenders/store.ts';
import type { ListFile } from '../../../src/sources/registry/list-file.ts';
import { openListFile } from '../../../src/sources/registry/list-file-open.ts';
import { companies, listing, orderJson, stub, tenderJson } from '../../modules/tenders/mercadopublico-support.ts';
import type { DamagePlan, Document } from '../../support/damage.ts';
import type { Judged, Subject } from '../../support/damage-oracle.ts';
import { memoryLog } from '../../support/log.ts';
import { clientOver, jsonDocument, NOW, simulated, sourceOver } from './fakes.ts';

/** Answers of an index: the documents of each supplier. */
async function judgedRows(rows: AsyncIterable<IndexRow>): Promise<Readonly<Record<string, Judged>>> {
  const found = new Map<string, unknown[]>();
  for await (const { supplier, ...row } of rows) found.set(supplier, [...(found.get(supplier) ?? []), row]);
  return Object.fromEntries([...found].map(([supplier, own]) => [supplier, { verdict: `${own.length} documents`, details: own }]));
}

const later = (): number => performance.now() + 60_000;

/** The API of Mercado Público: one answer each. */
function apiSubjects(): readonly Subject[] {
  const api = (document: Document | undefined) =>
    createApi({ base: 'http://mp.test/publico', ticket: '', http: clientOver(() => document as Document), now: () => NOW });
  const subject = (name: string, body: unknown, read: (client: ReturnType<typeof api>) => Promise<Judged>, plan: DamagePlan): Subject => ({
    name: `mercadopublico, ${name}`,
    documents: { answer: jsonDocument(body) },
    ...plan,
    read: async ({ answer }) => ({ answers: { [name]: await read(api(answer)) } }),
  });
  return [
    subject(
      'an order',
      listing(orderJson('2097-241-SE26')),
      async (client) => {
        const found = await client.order('2097-241-SE26', later());
        return { verdict: `${found?.supplier}`, details: found };
      },
      { decisive: /^RutSucursal$/, amounts: /^(Total|Cantidad)$/ },
    ),
    subject(
      'a tender',
      listing(tenderJson('1509-5-LE26')),
      async (client) => {
        const found = await client.tender('1509-5-LE26', later());
        const totals = found?.awards.map(({ supplier, award }) => `${supplier} ${award.total.amount}`).sort();
        return { verdict: `${found?.notice.status} ${totals}`, details: found };
      },
      { decisive: /^RutProveedor$/, amounts: /^(Cantidad|MontoUnitario|CodigoEstado)$/, opaque: /^Estado$/ },
    ),
    subject(
      'the tenders of a day',
      listing(stub('1509-5-LE26'), stub('1509-6-LE26')),
      async (client) => {
        const found = await client.tenders('2026-11-10', null, later());
        return { verdict: found.map(({ status }) => status).join(), details: found };
      },
      { amounts: /^(CodigoEstado|Cantidad)$/ },
    ),
    subject(
      'the orders of a day',
      listing({ Codigo: '2097-241-SE26' }, { Codigo: '2097-242-SE26' }),
      async (client) => {
        const found = await client.orderCodes('2026-11-10', null, later());
        return { verdict: `${found.length}`, details: found };
      },
      { amounts: /^Cantidad$/ },
    ),
    subject(
      'the numbers of a supplier',
      companies('27441'),
      async (client) => {
        const found = await client.supplierNumbers('762421925', later());
        return { verdict: `${found.length}`, details: found };
      },
      { amounts: /^Cantidad$/ },
    ),
  ];
}

/** The monthly files of Mercado Público. */
async function bulkSubject(
  folder: string,
  name: string,
  at: string,
  read: (file: ListFile) => AsyncIterable<IndexRow>,
  plan: DamagePlan,
): Promise<Subject> {
  return {
    name: `mercadopublico_bulk, ${name}`,
    documents: { month: await simulated(mercadopublicoBulkSimulator, at, { rows: 40 }) },
    ...plan,
    async read({ month }) {
      const file = path.join(folder, 'month.csv');
      await writeFile(file, Buffer.from(month?.text ?? '', 'latin1'));
      const download = {
        path: file,
        url: pathToFileURL(file),
        date: null,
        name: 'month.csv',
        bytes: 0,
        sha256: '',
        lastModified: null,
        etag: null,
      };
      const never = { get: () => Promise.reject(new Error('there is nothing beside the file')) };
      return { answers: await judgedRows(read(await openListFile(download, { downloader: never }))) };
    },
  };
}

/** The simulator refuses every 40th request of the process with 422, and other test files of the process send some, too. */
async function pncpDocument(path: string, query: Record<string, string>): Promise<Document> {
  const ask = () => simulated(pncpSimulator, `/api/consulta/v1/${path}`, { query, rows: 4 });
  const first = await ask();
  return first.status === 422 ? ask() : first;
}

/** Contracts and calls of PNCP. Few records: a fifth of the suppliers of a window may be unreadable. */
async function pncpSubjects(): Promise<readonly Subject[]> {
  const window = { dataInicial: '20261101', dataFinal: '20261118', pagina: '1', tamanhoPagina: '10' };
  const contracts = await pncpDocument('contratos', window);
  const calls = await pncpDocument('contratacoes/publicacao', { ...window, codigoModalidadeContratacao: '8' });
  const onePage = (document: Document): Document => ({
    ...document,
    text: document.text.replace(/"totalRegistros":\d+/, '"totalRegistros":4').replace(/"totalPaginas":\d+/, '"totalPaginas":1'),
  });
  return [
    {
      name: 'pncp, contracts',
      documents: { page: onePage(contracts) },
      decisive: /^(niFornecedor|tipoPessoa|receita|numeroControlePNCP|totalPaginas|totalRegistros)$/,
      async read({ page }) {
        const plan = pncpPlan({
          url: 'http://pncp.test',
          isRealPortal: false,
          http: clientOver(() => page as Document),
          now: () => NOW,
          log: memoryLog().log,
        });
        const [slice = ''] = plan.slicesOf('2026-11');
        const opened = await plan.open(slice, null as never, { signal: new AbortController().signal });
        if (typeof opened === 'string') throw new Error(opened);
        return { answers: await judgedRows(opened.rows) };
      },
    },
    {
      name: 'pncp, search',
      documents: { page: onePage(calls) },
      decisive: /^(numeroControlePNCP|totalPaginas|totalRegistros)$/,
      async read({ page }) {
        const found = await sourceOver(pncp, () => page as Document).search({
          country: 'BR',
          keyword: null,
          from: '2026-11-01',
          to: '2026-11-18',
        });
        return { answers: { search: { verdict: `${found.notices.length} calls`, details: found.notices } } };
      },
    },
  ];
}

/** Contracts of one supplier, and procedures, of SECOP II. */
function secopSubjects(): readonly Subject[] {
  const { nit } = colombianByScenario('co-supplier');
  const own = contractRows(NOW).filter((row) => String(row.documento_proveedor).startsWith(nit.slice(0, -1)));
  return [
    {
      name: 'secopii, contracts',
      documents: { rows: jsonDocument(own) },
      sparse: true,
      defaults: ['No Definido'],
      decisive: /^(documento_proveedor|id_contrato)$/,
      opaque: /^estado_contrato$/,
      async read({ rows }) {
        const key = parseCompanyKey('CO', nit);
        const { orders, total } = await sourceOver(secopii, () => rows as Document).orders(key);
        return { answers: { [nit]: { verdict: `${total} contracts`, details: orders } } };
      },
    },
    {
      name: 'secopii, search',
      documents: { rows: jsonDocument(procedureRows(NOW).slice(0, 5)) },
      sparse: true,
      defaults: ['No Definido'],
      decisive: /^id_del_proceso$/,
      async read({ rows }) {
        const found = await sourceOver(secopii, () => rows as Document).search({ country: 'CO', keyword: 'obra', from: null, to: null });
        return { answers: { search: { verdict: `${found.notices.length} procedures`, details: found.notices } } };
      },
    },
  ];
}

/** The marketplaces; `folder` is for the monthly files. */
export async function tenders(folder: string): Promise<readonly Subject[]> {
  return [
    ...apiSubjects(),
    // Every text is a code of an order: nothing says that it is damaged.
    await bulkSubject(folder, 'orders', '/oc-da/2026-10.zip', readBulkOrders, {
      decisive: /^RutSucursal$/,
      amounts: /^MontoTotalOC$/,
      opaque: /^Codigo$/,
    }),
    await bulkSubject(folder, 'awards', '/lic-da/2026-10.zip', readBulkAwards, {
      decisive: /^(RutProveedor|Oferta seleccionada|FechaAdjudicacion|CodigoMoneda|Moneda)/,
      amounts: /^MontoLineaAdjudica$/,
      mayBeEmpty: /^(Oferta seleccionada|FechaAdjudicacion|MontoLineaAdjudica)$/,
      opaque: /^CodigoExterno$/,
    }),
    ...(await pncpSubjects()),
    ...secopSubjects(),
  ];
}
