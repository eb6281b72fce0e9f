import 'reflect-metadata'; // type-graphql needs it when the first class is decorated
import { Field, ID, InterfaceType } from 'type-graphql';
import type { RequestContext } from '../context.ts';
import type { Owned } from '../db/paging.ts';
import { COUNTRIES, type CompanyKey, formatTaxId, parseCompanyKey } from '../domain/company.ts';
import { invalidInput } from '../domain/errors.ts';
import { fromPublicId, type IdKind } from '../domain/public-ids.ts';
import { isIsoDate } from '../domain/time.ts';
import { operationMessages } from '../messages/operations.ts';

@InterfaceType('Node', { description: 'An object with a global id (Relay).' })
export abstract class NodeType {
  @Field(() => ID, { description: 'Opaque global id; `node(id:)` returns this object again.' }) readonly id!: string;
}

/** Countries of which a registry is known as of earlier dates. */
export const AS_OF_COUNTRIES = ['BR', 'CL'] as const;

/** A company, and the ISO date as of which its fields are answered; without a date they are those of today. */
export interface DatedCompanyKey extends CompanyKey {
  readonly asOf?: string | null;
}

/** Encodes the global id of a company. A company as of a date has an id of its own, so that caches keep it apart from that of today. */
export const companyId = ({ country, taxId, asOf }: DatedCompanyKey): string =>
  Buffer.from(['Company', country, taxId, ...(asOf ? [asOf] : [])].join(':')).toString('base64url');

/** Decodes the global id of a company. @throws AppError INVALID_INPUT for any other id */
export function parseNodeId(id: string): DatedCompanyKey {
  const [type, country, taxId, asOf] = Buffer.from(id, 'base64url').toString().split(':');
  const known = COUNTRIES.find((one) => one === country);
  if (type !== 'Company' || !known || !taxId || (asOf !== undefined && (!AS_OF_COUNTRIES.some((one) => one === known) || !isIsoDate(asOf))))
    throw invalidInput('id', operationMessages.notAnId());
  // A NIT is read as it was written only if its check digit stands apart.
  const key = parseCompanyKey(known, formatTaxId({ country: known, taxId }), 'id');
  return { ...key, ...(asOf !== undefined && { asOf }) };
}

/** Description of an id that identifies an object in the caches of clients, and that `node` does not find. */
export const cacheKey = (objects: string): string => `Opaque key for caches, unique among ${objects}; \`node\` does not find it.`;

/** A type of node whose global ids have a prefix. */
export interface NodeKind {
  /** Prefix of the ids, e.g. `mon_`. */
  readonly prefix: string;
  /** Finds the node, an instance of its GraphQL class; null for an unknown id and for a node that the caller may not see. */
  readonly find: (id: string, ctx: RequestContext) => Promise<NodeType | null>;
}

const kinds: NodeKind[] = [];

/** Registers a type of node for the queries `node` and `nodes`. */
export function defineNode(kind: NodeKind): void {
  kinds.push(kind);
}

/** Finds the type of node of an id by its prefix; undefined for the id of a company. */
export const kindOf = (id: string): NodeKind | undefined => kinds.find(({ prefix }) => id.startsWith(prefix));

/** Converts a public id to the query of a row; null for a text that is not an id of this kind. */
export function ownedBy({ caller }: RequestContext, kind: IdKind, publicId: string): Owned | null {
  const id = fromPublicId(kind, publicId);
  return id === null ? null : { keyId: caller.keyId, id };
}
