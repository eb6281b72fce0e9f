import { ObjectType } from 'type-graphql';
import { CompanyType } from '../../../graphql/company.ts';
import { connectionOf, type PageArgs, requireFirst } from '../../../graphql/connection.ts';
import type { Stretch } from '../store/questions.ts';

@ObjectType('CompanyConnection', {
  description: 'Companies that a monitor watches, in the order in which its maker named them.',
  simpleResolvers: true,
})
export class CompanyConnectionType extends connectionOf('Company', CompanyType, 'companies') {}

/** `first` and `after` → a stretch. @throws AppError INVALID_INPUT */
export const stretchOf = <A>({ first, after }: PageArgs, placeOf: (cursor: string) => A): Stretch<A> => ({
  first: requireFirst(first),
  after: after ? placeOf(after) : null,
});
