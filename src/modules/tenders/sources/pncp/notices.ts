import { z } from 'zod';
import { hideCpfs } from '../../../../domain/cpf.ts';
import type { TenderNotice } from '../../domain.ts';
import { body, moment, pageOf } from './pages.ts';

/** A procurement, as far as we read it. */
const procurement = z.object({
  numeroControlePNCP: z.string().min(1),
  anoCompra: z.int(),
  sequencialCompra: z.int(),
  objetoCompra: z.string().nullable(),
  informacaoComplementar: z.string().nullish(),
  /** `Divulgada no PNCP` of nearly all; it never says whether proposals are still taken. */
  situacaoCompraNome: z.string().min(1),
  dataPublicacaoPncp: moment,
  dataEncerramentoProposta: moment.nullish(),
  /** BRL; 0 where it is secret or unknown. */
  valorTotalEstimado: z.number().nullish(),
  orgaoEntidade: body,
});

function toNotice(record: z.infer<typeof procurement>): TenderNotice {
  const { orgaoEntidade: buyer, anoCompra, sequencialCompra } = record;
  return {
    code: record.numeroControlePNCP,
    name: hideCpfs(record.objetoCompra?.trim() || record.numeroControlePNCP),
    description: hideCpfs(record.informacaoComplementar?.trim() ?? '') || null,
    status: record.situacaoCompraNome,
    closesAt: record.dataEncerramentoProposta ?? null,
    publishedAt: record.dataPublicacaoPncp,
    estimate: record.valorTotalEstimado ? { amount: record.valorTotalEstimado, currency: 'BRL' } : null,
    buyer: buyer.razaoSocial.trim(),
    buyerTaxId: buyer.cnpj,
    url: `https://pncp.gov.br/app/editais/${buyer.cnpj}/${anoCompra}/${sequencialCompra}`,
  };
}

export const noticePage = pageOf(procurement.transform(toNotice));
