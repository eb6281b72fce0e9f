import { Field, ObjectType } from 'type-graphql';
import type { ListedPartyFacts } from '../domain/candidate.ts';

@ObjectType('ListedParty', {
  description: 'Facts about a company or an organisation, as a list prints them. A field is empty where the list prints nothing.',
  simpleResolvers: true,
})
export class ListedPartyType implements ListedPartyFacts {
  @Field(() => [String], { description: 'Its other names, as listed.' }) aliases!: readonly string[];
  @Field(() => [String], { description: 'Its tax ids of companies of Latin America, each with its kind, as printed.' })
  taxIds!: readonly string[];
  @Field(() => [String], {
    description: 'Its addresses, each in one line; at most 20. The list of the UK is read without addresses, only their countries.',
  })
  addresses!: readonly string[];
  @Field(() => [String], { description: 'Dates on which it was founded, as printed: OFAC and EU.' }) foundationDates!: readonly string[];
  @Field(() => String, { nullable: true, description: 'Remarks of the publisher, at most 2,000 characters.' }) remarks!: string | null;
  @Field(() => String, { nullable: true, description: 'Reference number of the UN or the EU.' }) reference!: string | null;
}
