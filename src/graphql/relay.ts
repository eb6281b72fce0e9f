import 'reflect-metadata'; // type-graphql asks for it when the first class is decorated
import { Field, ID, InterfaceType } from 'type-graphql';
import type { RequestContext } from '../context.ts';
import { COUNTRIES, type CompanyKey, parseCompanyKey } from '../domain/company.ts';
import { invalidInput } from '../domain/errors.ts';

@InterfaceType('Node', { description: 'Anything with a global id.' })
export abstract class NodeType {
  @Field(() => ID, { description: 'Opaque global id; give it to `node` to find this again.' }) readonly id!: string;
}

/** CompanyKey → opaque global id. */
export const companyId = ({ country, taxId }: CompanyKey): string => Buffer.from(`Company:${country}:${taxId}`).toString('base64url');

/** Global id → CompanyKey. @throws AppError INVALID_INPUT when the id names no company */
export function parseNodeId(id: string): CompanyKey {
  const [type, country, taxId] = Buffer.from(id, 'base64url').toString().split(':');
  const known = COUNTRIES.find((one) => one === country);
  if (type !== 'Company' || !known || !taxId) throw invalidInput('id', 'This is not an id of this API.');
  return parseCompanyKey(known, taxId, 'id');
}

/** A kind of node whose ids begin with a word of its own. */
export interface NodeKind {
  /** E.g. `mon_`. */
  readonly prefix: string;
  /** The node, an instance of its type's class; null for an id that names nothing the caller may see. */
  readonly find: (id: string, ctx: RequestContext) => Promise<NodeType | null>;
}

const kinds: NodeKind[] = [];

/** Makes a kind known to `node` and `nodes`; called where its type is defined. */
export function defineNode(kind: NodeKind): void {
  kinds.push(kind);
}

/** The kind that an id is of; none for a company's. */
export const kindOf = (id: string): NodeKind | undefined => kinds.find(({ prefix }) => id.startsWith(prefix));
