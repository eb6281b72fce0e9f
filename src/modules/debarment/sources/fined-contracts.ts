import { z } from 'zod';
import { chunksOf } from '../../../domain/chunks.ts';
import { type ListFile, ListFileError } from '../../../sources/registry/list-file.ts';
import { link, quoted, sodaParameters } from '../../../sources/socrata/soda.ts';
import { column, tableItems } from '../../../sources/socrata/soda-list.ts';
import { contractorOf } from './fine-rows.ts';

/** The columns of a contract of SECOP II that are requested. Columns about people are not. */
const CONTRACT = z.object({
  id_contrato: z.string().min(1),
  proceso_de_compra: column,
  documento_proveedor: column,
  codigo_proveedor: column,
  nit_entidad: column,
  urlproceso: link,
});
export type Contract = z.output<typeof CONTRACT>;

/** The ids of a fine by which its contract is found. */
interface Ids {
  readonly id_proceso: string;
  readonly id_contrato: string;
  readonly as_codigo_proveedor_objeto: string;
}

/** The file of the table of contracts, in the folder of that of the fines. */
const TABLE = 'jbjy-vk9h.json';
const CONTRACT_ID = /^CO1\.PCCNTR\.\d{1,12}$/;
const PROCESS_ID = /^CO1\.BDOS\.\d{1,12}$/;
const SUPPLIER_CODE = /^\d{1,12}$/;
/** Ids per query, of which each has some 30 characters in the URL. */
const IDS_PER_QUERY = 100;
/** Maximum number of rows per query. The portal repeats rows at times, and a procedure has many contracts with one supplier at times. */
const LIMIT = 10_000;

/** The contracts of some fines. */
export interface FinedContracts {
  /** Returns the contract of a fine; null if it is not known. */
  of(fine: Ids): Contract | null;
}

/**
 * Requests the contracts of fines: by the id of the contract or, where a fine has none, by its procedure and the code of the supplier. Ids
 * are compared with their letter case.
 * @throws ListFileError if there is no table of contracts, or it is damaged; DownloadFailure
 */
export async function contractsOf(fines: readonly Ids[], file: ListFile): Promise<FinedContracts> {
  const contracts = new Map<string, Contract>();
  const read = async (...where: readonly string[]): Promise<void> => {
    const query = { select: Object.keys(CONTRACT.shape), where, order: 'id_contrato', limit: LIMIT };
    const table = await file.companion(TABLE, sodaParameters(query));
    if (!table) throw new ListFileError('the contracts of the fines are not beside them');
    for await (const contract of tableItems(table, CONTRACT, LIMIT)) contracts.set(contract.id_contrato, contract);
  };

  const contractIds = distinct(
    fines.map(({ id_contrato }) => id_contrato),
    CONTRACT_ID,
  );
  for (const ids of quotedChunks(contractIds)) await read(`id_contrato in(${ids})`);

  const withoutContract = fines.filter(({ id_contrato }) => !contracts.has(id_contrato));
  const processes = distinct(
    withoutContract.map(({ id_proceso }) => id_proceso),
    PROCESS_ID,
  );
  const codes = distinct(
    withoutContract.map((one) => one.as_codigo_proveedor_objeto),
    SUPPLIER_CODE,
  );
  for (const some of quotedChunks(processes))
    for (const suppliers of quotedChunks(codes)) await read(`proceso_de_compra in(${some})`, `codigo_proveedor in(${suppliers})`);

  const byProcess = Map.groupBy(contracts.values(), (one) => `${one.proceso_de_compra} ${one.codigo_proveedor}`);
  return {
    of({ id_contrato, id_proceso, as_codigo_proveedor_objeto: code }) {
      const contract = contracts.get(id_contrato);
      if (contract || !SUPPLIER_CODE.test(code)) return contract ?? null;
      return onlyContractor(byProcess.get(`${id_proceso} ${code}`) ?? []);
    },
  };
}

/** Returns one of the contracts, if all of them have the same contractor. */
function onlyContractor(contracts: readonly Contract[]): Contract | null {
  const contractors = new Set(contracts.map(({ documento_proveedor }) => JSON.stringify(contractorOf(documento_proveedor))));
  return contractors.size === 1 ? (contracts[0] ?? null) : null;
}

/** Returns the ids that have the form of the portal, each once. Only these may be written into a query. */
const distinct = (ids: readonly string[], form: RegExp): readonly string[] => [...new Set(ids.filter((id) => form.test(id)))];

/** Divides ids into lists of quoted ids for a query. */
const quotedChunks = (ids: readonly string[]): readonly string[] =>
  chunksOf(ids, IDS_PER_QUERY).map((chunk) => chunk.map(quoted).join(','));
