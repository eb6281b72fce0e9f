import { cnpjRoot } from '../../../domain/tax-id.ts';
import { orUnavailable } from '../../../loaders/derived-from.ts';
import type { Load } from '../../../loaders/loader.ts';
import { firstCnpj } from '../../../sources/receita-federal/copy/nodes.ts';
import { ownersLoader } from '../loader.ts';
import { registryNodeOrNull } from './registry-node.ts';

/**
 * Returns the CNPJ of the head office of each legal person, by root. Records may name an owner by the CNPJ of a branch, which the registry may
 * have lost, and owners belong to the legal person. The head office is that of the own copy, else the first establishment. A legal person
 * whose head office has no record keeps the given CNPJ.
 * @param cnpjs CNPJs of owners, of any establishment
 * @param room maximum number of legal persons whose owners will be read: the first ones. No records of the others are requested.
 */
export async function headOffices(cnpjs: readonly string[], room: number, load: Load): Promise<ReadonlyMap<string, string>> {
  const named = new Map(cnpjs.map((cnpj) => [cnpjRoot(cnpj), cnpj]));
  const found = await Promise.all([...named].map(async ([root, cnpj], i) => [root, await headOfficeOf(cnpj, i < room, load)] as const));
  return new Map(found);
}

async function headOfficeOf(cnpj: string, isRead: boolean, load: Load): Promise<string> {
  const root = cnpjRoot(cnpj);
  if (cnpj === firstCnpj(root)) return cnpj;
  const head = (await registryNodeOrNull(root, load))?.cnpj ?? firstCnpj(root);
  if (head === cnpj || !isRead) return head;
  const owners = await orUnavailable(load(ownersLoader, { country: 'BR', taxId: head }));
  return owners?.value ? head : cnpj;
}
