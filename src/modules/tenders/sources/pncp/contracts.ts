import { z } from 'zod';
import { cnpjRoot, readCnpj } from '../../../../domain/cnpj.ts';
import { hideCpfs } from '../../../../domain/cpf.ts';
import { isProblem } from '../../../../domain/tax-id.ts';
import { isIsoDate } from '../../../../domain/time.ts';
import type { TenderOrder } from '../../domain.ts';
import type { IndexRow } from '../../store.ts';
import { body, pageOf } from './pages.ts';

/** A contract, as far as we read it. The supplier stands flat in it; there is no status. */
const contract = z.object({
  numeroControlePNCP: z.string().min(1),
  numeroControlePncpCompra: z.string().nullish(),
  anoContrato: z.int(),
  sequencialContrato: z.int(),
  objetoContrato: z.string().nullable(),
  /** True where the supplier pays. */
  receita: z.boolean().nullable(),
  /** `PJ` a company, `PF` a person, `PE` from abroad. */
  tipoPessoa: z.string().nullable(),
  niFornecedor: z.string().nullable(),
  orgaoEntidade: body,
  valorGlobal: z.number().nullable(),
  dataAssinatura: z.string().nullable(),
  dataVigenciaFim: z.string().nullable(),
});
export type Contract = z.infer<typeof contract>;
export const contractPage = pageOf(contract);

/** Bare CNPJ of a supplier that is a Brazilian company; null for any other, and for one whose number cannot be read. */
function companyOf({ tipoPessoa, niFornecedor }: Contract): string | null {
  const cnpj = tipoPessoa === 'PJ' ? readCnpj(niFornecedor ?? '') : null;
  return cnpj === null || isProblem(cnpj) ? null : cnpj;
}

/** True when it can be told who the supplier is, or that it is no company. */
export const isLegible = (record: Contract): boolean => /^P[FE]$/.test(record.tipoPessoa ?? '') || companyOf(record) !== null;

/**
 * A contract → its row of the index, under the root of the supplier's CNPJ; null for an income contract and for a supplier that is
 * no Brazilian company, of whom nothing is kept. In place of a status stands the day that the contract ends: see `standing`.
 */
export function toIndexRow(record: Contract): IndexRow | null {
  const cnpj = companyOf(record);
  if (record.receita || cnpj === null) return null;
  const { orgaoEntidade: buyer, anoContrato, sequencialContrato } = record;
  const order: TenderOrder = {
    code: record.numeroControlePNCP,
    name: hideCpfs(record.objetoContrato?.trim() || record.numeroControlePNCP),
    status: day(record.dataVigenciaFim) ?? '',
    total: record.valorGlobal === null ? null : { amount: record.valorGlobal, currency: 'BRL' },
    date: day(record.dataAssinatura),
    buyer: buyer.razaoSocial.trim(),
    buyerTaxId: buyer.cnpj,
    tenderCode: record.numeroControlePncpCompra ?? null,
    supplierTaxId: cnpj,
    url: `https://pncp.gov.br/app/contratos/${buyer.cnpj}/${anoContrato}/${sequencialContrato}`,
  };
  return { kind: 'order', supplier: `BR:${cnpjRoot(cnpj)}`, order };
}

const day = (text: string | null): string | null => (text !== null && isIsoDate(text) ? text : null);

/** An order of the index as it stands today: PNCP has no status, so it is derived from the day that the contract ends. */
export const standing = (order: TenderOrder, today: string): TenderOrder => ({
  ...order,
  status: order.status === '' ? 'vigência não informada' : order.status >= today ? 'vigente' : 'encerrado',
});
