import 'reflect-metadata'; // type-graphql asks for it when the first class is decorated
import { Field, ID, InterfaceType } from 'type-graphql';
import { COUNTRIES, type CompanyKey, parseCompanyKey } from '../domain/company.ts';
import { invalidInput } from '../domain/errors.ts';

@InterfaceType('Node', {
  description: 'Anything with a global id.',
  resolveType: () => 'Company',
})
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
